package wire

import (
	"bufio"
	"fmt"
	"io"
)

// A Conn sends and receives messages.
type Conn struct {
	rw  io.ReadWriter
	r   *bufio.Reader
	out []byte
}

// NewConn returns a Conn over a stream.
func NewConn(rw io.ReadWriter) *Conn {
	return &Conn{rw: rw, r: bufio.NewReaderSize(rw, 4<<10)}
}

// Send sends messages, in one write.
func (c *Conn) Send(all ...Message) error {
	var err error
	c.out = c.out[:0]
	for _, m := range all {
		if c.out, err = Append(c.out, m); err != nil {
			return err
		}
	}
	_, err = c.rw.Write(c.out)
	return err
}

// Receive returns the next message. It returns io.EOF at an end between frames, and
// io.ErrUnexpectedEOF for a frame that was cut off.
func (c *Conn) Receive() (Message, error) {
	var h [headerSize]byte
	if _, err := io.ReadFull(c.r, h[:]); err != nil {
		return Message{}, err
	}
	kind, size, err := readHeader(h[:])
	if err != nil {
		return Message{}, err
	}
	body, err := readBody(c.r, size)
	if err != nil {
		return Message{}, err
	}
	return decode(kind, body)
}

// readBody reads a body. Memory is taken only as its bytes arrive: a header alone costs little.
func readBody(r io.Reader, size int) ([]byte, error) {
	var body []byte
	for len(body) < size {
		part := min(size-len(body), max(len(body), 4<<10))
		body = append(body, make([]byte, part)...)
		if _, err := io.ReadFull(r, body[len(body)-part:]); err == io.EOF {
			return nil, io.ErrUnexpectedEOF
		} else if err != nil {
			return nil, err
		}
	}
	return body, nil
}

// Expect is Receive for a message of one of these kinds. A Failed is returned as its error, and any
// other kind as one that wraps ErrFormat.
func (c *Conn) Expect(kinds ...Kind) (Message, error) {
	m, err := c.Receive()
	if err != nil {
		return m, err
	}
	for _, k := range kinds {
		if m.Kind == k {
			return m, nil
		}
	}
	if m.Kind == Failed {
		return m, &RemoteError{m.Failure}
	}
	return m, fmt.Errorf("%w: kind %q is out of place", ErrFormat, byte(m.Kind))
}
