package past

import (
	"iter"
	"slices"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// beginsWithin is how long after the time in its id a run begins at the latest: a question may have
// waited before it.
const beginsWithin = 2 * time.Hour

// Older returns the requests that began before the run with that id, the newest first, and reads no
// more of the log than the caller takes and what lies around that run. If there is no such run, it
// returns those that began before the time in the id.
func (p *Reader) Older(id string) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		h := p.reading()
		var err error
		if h.gaps, err = p.Gaps(); err != nil {
			yield(Run{}, err)
			return
		}
		slices.Reverse(h.gaps)
		_, found, err := p.pastFromItsTime(id)
		if err != nil {
			yield(Run{}, err)
			return
		}
		reached := !found
		f := audit.Filter{Kinds: h.kinds()}
		_, f.To = p.Span(time.Time{}, TimeOf(id).Add(beginsWithin))
		if !h.each(f, func(r Run, err error) bool {
			switch {
			case err != nil:
				return yield(r, err)
			case !reached:
				reached = r.ID == id
				return true
			case !found && r.ID >= id:
				return true
			}
			return yield(p.whole(r))
		}) {
			return
		}
		if h.first != nil {
			yield(Run{}, h.first)
		}
	}
}

// whole returns a run with what came later than the part of the log that it was read from.
func (p *Reader) whole(r Run) (Run, error) {
	if !r.Ended.IsZero() && !r.asked {
		return r, nil
	}
	again, found, err := p.pastFromItsTime(r.ID)
	if err != nil || !found {
		return r, err
	}
	return again, nil
}
