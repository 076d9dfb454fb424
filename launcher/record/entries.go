package record

import (
	"encoding/json"
	"errors"
	"iter"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// Entries returns the entries of the log, oldest first. It reads and does not prove.
func (r *Record) Entries(f audit.Filter) iter.Seq2[audit.Entry, error] {
	return audit.Entries(r.dir.Audit(), r.narrowed(f))
}

// Newest returns the entries of the log, newest first, and reads no more than the caller takes.
func (r *Record) Newest(f audit.Filter) iter.Seq2[audit.Entry, error] {
	return audit.Newest(r.dir.Audit(), r.narrowed(f))
}

// narrowed is a filter that reads no more of the log than its times need.
func (r *Record) narrowed(f audit.Filter) audit.Filter {
	f.Codec = r.Codec
	from, to := r.Span(f.Since, f.Until)
	f.From = max(f.From, from)
	if to > 0 && (f.To == 0 || to < f.To) {
		f.To = to
	}
	return f
}

// Entries is a log that can be read: that of a [Record], or a copy of one.
type Entries interface {
	Entries(audit.Filter) iter.Seq2[audit.Entry, error]
}

// Bodies calls visit with the time and the body of each entry, oldest first. What says something
// else is left out, and so are lines that are no entries: bad is how many of these the log does not
// set apart. tadactl audit verify names them.
func Bodies[T any](log Entries, f audit.Filter, visit func(time.Time, T)) (bad int, err error) {
	apart := sync.OnceValue(func() (gaps []audit.Gap) {
		for e, err := range log.Entries(audit.Filter{Kinds: gapKinds}) {
			if g, ok := e.Gap(); ok && err == nil {
				gaps = append(gaps, g)
			}
		}
		return gaps
	})
	for e, err := range log.Entries(f) {
		var no *audit.BadEntry
		var body T
		switch {
		case errors.Is(err, os.ErrNotExist):
			return bad, nil
		case errors.As(err, &no):
			if !slices.ContainsFunc(apart(), func(g audit.Gap) bool { return g.Holds(no.Offset) }) {
				bad++
			}
		case err != nil:
			return bad, err
		case json.Unmarshal(e.Body, &body) == nil:
			visit(e.Time, body)
		}
	}
	return bad, nil
}
