package audit

import (
	"bufio"
	"errors"
	"io"
	"slices"
)

// Redact copies a transcript without the data of the given events. Chain and commitments stay, so
// the copy has the same head, and every other event is proven as before. The salt is deleted with
// the data, so the data cannot be guessed, not even a short password. Events that only show what
// one of them contained are redacted too. Redact returns all events that it removed. They must be
// listed in a rec.redact entry; otherwise Verify reports the copy as tampered with.
//
// It reads what it proves: after a *BadEntry the copy must not be used. The caller replaces the
// original with the copy.
func Redact(w io.Writer, r io.Reader, events []int64) (removed []int64, err error) {
	t, err := NewReader("transcript", r)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if _, err := out.Write(append(t.at.first, '\n')); err != nil {
		return nil, err
	}
	var last int64
	var held byte // stream of a b event removed just before
	for {
		l, err := t.step()
		if errors.Is(err, io.EOF) {
			return removed, out.Flush()
		} else if err != nil {
			return removed, err
		}
		drop := slices.Contains(events, l.seq) || held != 0 && l.length == 0
		held = 0
		line := t.event
		if drop && !l.gone {
			if l.code == CodeBytes {
				held = CodeBytes
			}
			l.gone = true
			removed = append(removed, l.seq)
			line = appendEvent(nil, l.us-last, l.code, nil)
		}
		last = l.us
		for _, b := range [][]byte{line, newline, l.appendLine(nil), newline} {
			if _, err := out.Write(b); err != nil {
				return removed, err
			}
		}
	}
}
