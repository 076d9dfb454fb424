package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Kind is the kind of a frame's body.
type Kind byte

// What clients send.
const (
	Hello    Kind = 'h'
	Input    Kind = 'i'
	Window   Kind = 'w'
	Take     Kind = 't'
	Give     Kind = 'g'
	Freeze   Kind = 'f'
	Continue Kind = 'c'
	Private  Kind = 'p'
	Summary  Kind = 's'
	Kill     Kind = 'k'
	Refresh  Kind = 'r'
)

// What holders send.
const (
	State  Kind = 'S'
	Redraw Kind = 'R'
	Output Kind = 'O'
	Ack    Kind = 'A'
	Tell   Kind = 'N'
	End    Kind = 'X'
)

// kinds are all of them.
const kinds = "hiwtgfcpskrSROANX"

// String returns the kind's letter, quoted.
func (k Kind) String() string { return fmt.Sprintf("%q", byte(k)) }

const (
	// MaxBody is as long as a body may be: more than a pipe's worth, and little enough that a
	// holder can have one for each of its clients.
	MaxBody = 64 << 10
	// Credit is how many bytes of input may be under way. A terminal's own queue is 4096 bytes.
	Credit = 64 << 10

	headerSize = 1 + 4 + 4
)

// A Frame is one message. The zero Frame is of no known kind.
type Frame struct {
	Kind  Kind
	Epoch uint32
	Body  []byte
}

// ErrTooLong is wrapped by what Next returns for a frame of more than MaxBody.
var ErrTooLong = errors.New("frame is too long")

// ErrKind is wrapped by what Next returns for a frame of no known kind.
var ErrKind = errors.New("frame of an unknown kind")

// Append appends the frame's bytes to dst. A body of more than MaxBody becomes several frames; that
// is for Input, Output and Redraw, which are streams of bytes.
func Append(dst []byte, f Frame) []byte {
	for {
		body := f.Body[:min(len(f.Body), MaxBody)]
		dst = append(dst, byte(f.Kind))
		dst = binary.BigEndian.AppendUint32(dst, f.Epoch)
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(body)))
		dst = append(dst, body...)
		if f.Body = f.Body[len(body):]; len(f.Body) == 0 {
			return dst
		}
	}
}

// A Reader takes a stream apart.
type Reader struct {
	// Partial is called with true when a frame has begun whose end is not there yet, and with false
	// when it is. A reader of an untrusted party bounds that time: half a frame may come at once,
	// and the other half never. It is nil for a trusted party.
	Partial func(begun bool)

	r       io.Reader
	buf     []byte
	have    []byte // of buf, not yet taken
	partial bool   // Partial was called with true
}

// NewReader returns a Reader of the stream r.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: r, buf: make([]byte, 4<<10)}
}

// Next returns the next frame; its body is good until the next call. It returns io.EOF at an end
// between frames, io.ErrUnexpectedEOF for one that was cut off, and errors that wrap ErrTooLong or
// ErrKind. Memory for a body is taken only as its bytes arrive: a header alone costs nothing.
func (r *Reader) Next() (Frame, error) {
	if err := r.fill(headerSize); err != nil {
		return Frame{}, err
	}
	f := Frame{Kind: Kind(r.have[0]), Epoch: binary.BigEndian.Uint32(r.have[1:])}
	size := binary.BigEndian.Uint32(r.have[5:])
	switch {
	case strings.IndexByte(kinds, byte(f.Kind)) < 0:
		return Frame{}, fmt.Errorf("%w: %v", ErrKind, f.Kind)
	case size > MaxBody:
		return Frame{}, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, size, MaxBody)
	}
	if err := r.fill(headerSize + int(size)); err != nil {
		return Frame{}, err
	}
	r.tell(false)
	f.Body = r.have[headerSize : headerSize+int(size)]
	r.have = r.have[headerSize+int(size):]
	return f, nil
}

// fill reads until n bytes are there.
func (r *Reader) fill(n int) error {
	for len(r.have) < n {
		kept := copy(r.buf, r.have)
		if kept == len(r.buf) {
			r.buf = append(r.buf, make([]byte, min(len(r.buf), headerSize+MaxBody-len(r.buf)))...)
		}
		r.tell(kept > 0)
		got, err := r.r.Read(r.buf[kept:])
		r.have = r.buf[:kept+got]
		if err != nil && len(r.have) < n {
			if errors.Is(err, io.EOF) && len(r.have) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

func (r *Reader) tell(partial bool) {
	if partial != r.partial && r.Partial != nil {
		r.partial = partial
		r.Partial(partial)
	}
}
