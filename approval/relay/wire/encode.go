package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	// Version is that of the protocol. Both sides must have the same.
	Version = 1
	// MaxFrame is as long as a body may be.
	MaxFrame = 8 << 20

	headerSize = 4 + 1 + 1
)

var (
	// ErrTooLong is wrapped by the errors for a frame of more than MaxFrame.
	ErrTooLong = errors.New("frame is too long")
	// ErrFormat is wrapped by the errors for a frame that is not as it must be.
	ErrFormat = errors.New("frame has a wrong format")
	// ErrVersion is wrapped by the errors for a frame of another version.
	ErrVersion = errors.New("another version of the protocol")
)

// Append appends the frame of a message to dst. The error says that it is too long; then nothing
// was appended.
func Append(dst []byte, m Message) ([]byte, error) {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, Version, byte(m.Kind))
	for _, letter := range layouts[m.Kind] {
		dst = appendMember(dst, byte(letter), m)
	}
	size := len(dst) - start - headerSize
	if size > MaxFrame {
		return dst[:start], fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, size, MaxFrame)
	}
	binary.BigEndian.PutUint32(dst[start:], uint32(size))
	return dst, nil
}

// appendMember appends one member of a message.
func appendMember(dst []byte, letter byte, m Message) []byte {
	switch letter {
	case 'b':
		return appendText(dst, m.Bucket)
	case 'k':
		return appendText(dst, m.Key)
	case 'v':
		return appendText(dst, m.Value)
	case 'y':
		if m.Yes {
			return append(dst, 1)
		}
		return append(dst, 0)
	case 'n':
		return binary.BigEndian.AppendUint64(dst, m.Number)
	case 's':
		return binary.BigEndian.AppendUint64(dst, m.Seq)
	case 't':
		return append(dst, m.Ticket[:]...)
	case 'l':
		dst = appendCount(dst, len(m.Names))
		for _, name := range m.Names {
			dst = appendText(dst, name)
		}
	case 'c':
		dst = appendCount(dst, len(m.Changes))
		for _, c := range m.Changes {
			dst = appendChange(dst, c)
		}
	case 'f':
		dst = append(dst, m.Failure.Code)
		for _, text := range [...]string{m.Failure.Path, m.Failure.Hint, m.Failure.Text} {
			dst = appendText(dst, text)
		}
	}
	return dst
}

func appendChange(dst []byte, c Change) []byte {
	dst = append(dst, c.Way)
	dst = appendText(dst, c.Bucket)
	dst = appendText(dst, c.Key)
	return appendText(dst, c.Value)
}

func appendText[T string | []byte](dst []byte, text T) []byte {
	return append(appendCount(dst, len(text)), text...)
}

func appendCount(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(n))
}

// Size is about how many bytes a change takes.
func (c Change) Size() int { return 1 + 3*4 + len(c.Bucket) + len(c.Key) + len(c.Value) }
