package audit

import (
	"fmt"
	"io"
)

// repair begins the batch with the entries about the tail. A torn tail is never cut off: an
// attacker could make a good last entry look torn.
func (l *Log) repair(t tail) (*batch, error) {
	b := &batch{at: t.at}
	if t.torn == 0 && !t.bare && !t.lost {
		return b, nil
	}
	b.now = later(t.at.time, stampOf(t.anchor.Time))
	if t.bare {
		b.bytes = append(b.bytes, '\n') // t.at already counts it
	}
	if t.torn == 0 && !t.lost {
		return b, nil
	}
	g, had := Gap{Offset: t.at.offset, Bytes: t.torn, Reason: "torn tail"}, (*Anchor)(nil)
	if t.lost {
		g.Reason, had = "power cut", &t.anchor
	}
	return b, l.setApart(l.bytes(t.anchor), b, KindRecover, g, had)
}

// setApart adds the entry that covers the gap at the end of the log, on a line of its own.
func (l *Log) setApart(r io.ReaderAt, b *batch, kind string, g Gap, had *Anchor) error {
	if g.Bytes > 0 {
		var last [1]byte
		if _, err := r.ReadAt(last[:], g.Offset+g.Bytes-1); err != nil {
			return fmt.Errorf("reading the end of %q: %w", logName, err)
		}
		b.at.offset = g.Offset + g.Bytes
		if last[0] == '\n' {
			g.Bytes--
		} else {
			b.bytes = append(b.bytes, '\n')
			b.at.offset++
		}
	}
	sum, err := hashRange(r, g.Offset, g.Bytes)
	if err != nil {
		return err
	}
	g.Kind = kind
	b.add(kind, appendGapBody(nil, g, sum, had))
	return nil
}
