package audit

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// A Position is a place in a transcript, between two events, and what was
// proven up to there. It is good as long as the file only grows.
type Position struct {
	header Header
	first  []byte
	line   int64
	offset int64
	sum    Summary
	shown  byte
}

// Position returns where the next call of Next begins. After an error it is
// the place of the event that could not be read, so that the reader of a
// transcript that is still being written can come back to it.
func (t *Reader) Position() Position {
	if t.err != nil {
		return t.here
	}
	return t.now()
}

func (t *Reader) now() Position {
	p := Position{t.Header, t.first, t.line, t.offset, t.sum, t.shown}
	p.sum.Redacted = slices.Clip(p.sum.Redacted) // shared, and so never appended to
	return p
}

// Offset returns how many bytes of plain text stand before the position.
func (p Position) Offset() int64 { return p.offset }

// Events returns how many events stand before the position.
func (p Position) Events() int64 { return p.sum.Count }

// NewReaderAt goes on at a position of the same transcript. What follows must
// prove to follow from what stood before; r is moved there.
func NewReaderAt(name string, r io.ReadSeeker, p Position) (*Reader, error) {
	if p.first == nil {
		return nil, errors.New("transcript: the position is of no reader")
	}
	if _, err := r.Seek(p.offset, io.SeekStart); err != nil {
		return nil, fmt.Errorf("transcript %q: byte %d: %w", name, p.offset, err)
	}
	t := newReader(name, r)
	t.Header, t.first, t.line, t.offset, t.sum, t.shown = p.header, p.first, p.line, p.offset, p.sum, p.shown
	return t, nil
}
