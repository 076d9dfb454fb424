package past

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// errNoTranscript is for a session that the log knows of: a refusal, or a transcript that is gone.
var errNoTranscript = errors.New("it has no transcript")

// Session returns the id of the session with a transcript that begins with prefix, or the newest
// for "".
func (p *Reader) Session(prefix string) (string, error) {
	if prefix == "" {
		for r, err := range p.Newest(time.Time{}) {
			if err != nil || p.HasTranscript(r.ID) {
				return r.ID, err
			}
		}
		return "", errors.New("no session is recorded yet; try: tada-run 'ls -l'")
	}
	if p.HasTranscript(prefix) {
		return prefix, nil
	}
	ids, err := p.Sessions()
	if err != nil {
		return "", err
	}
	id, err := oneSession(ids, prefix)
	if errors.Is(err, state.ErrNoSuch) {
		if past, known := p.Past(prefix); known == nil {
			err = fmt.Errorf("session %q (%s): %w; try: tadactl show %s", past.ID, past.State,
				errNoTranscript, past.ID)
		}
	}
	return id, err
}

// oneSession is only for sessions, with the next command to type.
func oneSession(ids []string, prefix string) (string, error) {
	id, err := state.Only(ids, prefix)
	switch {
	case errors.Is(err, state.ErrAmbiguous):
		err = fmt.Errorf("session %q: %w; type more characters", prefix, err)
	case err != nil:
		err = fmt.Errorf("session %q: %w; try: tadactl sessions", prefix, err)
	}
	return id, err
}

// Runs returns every request that the log knows, oldest first.
func (p *Reader) Runs() ([]Run, error) {
	runs := []Run{}
	for r, err := range p.Newest(time.Time{}) {
		if err != nil {
			slices.Reverse(runs)
			return runs, err
		}
		runs = append(runs, r)
	}
	slices.Reverse(runs)
	return runs, nil
}

// Newest returns the requests that the log knows since a time, newest first, and reads no more of
// it than the caller takes. A line of the log that is no entry, and that was not set apart, is the
// error at the end.
func (p *Reader) Newest(since time.Time) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		h := p.reading()
		f := audit.Filter{Kinds: h.kinds()}
		f.From, _ = p.Span(since, time.Time{})
		if !h.each(f, yield) {
			return
		}
		rest := h.rest()
		if !since.IsZero() && len(rest) > 0 && f.From > p.begins() {
			rest = nil // they began before
		}
		for _, sid := range rest {
			if r, err := h.run(sid, h.take(sid)); !yield(r, err) || err != nil {
				return
			}
		}
		if h.first != nil {
			yield(Run{}, h.first)
		}
	}
}

// each calls yield for the runs that begin in a part of the log, the newest first, until it wants
// no more. It returns whether it came to the beginning of that part.
func (h *reading) each(f audit.Filter, yield func(Run, error) bool) bool {
	for e, err := range h.from.Record.Newest(f) {
		if errors.Is(err, os.ErrNotExist) {
			return false
		} else if err != nil && !h.bad(err) {
			yield(Run{}, err)
			return false
		}
		if err != nil {
			continue
		}
		sid, err := h.add(e)
		if err == nil && sid == "" {
			continue
		}
		var r Run
		if err == nil {
			r, err = h.run(sid, h.take(sid))
		}
		if !yield(r, err) || err != nil {
			return false
		}
	}
	return true
}

// begins is where the first entry of the log begins; some may have been pruned.
func (p *Reader) begins() int64 {
	for e, err := range p.Entries(audit.Filter{}) {
		if err == nil {
			return e.Offset
		}
	}
	return 0
}

// Past returns the run whose id begins with prefix, refused ones included.
func (p *Reader) Past(prefix string) (Run, error) {
	if state.IsID(prefix) {
		if r, found, err := p.pastFromItsTime(prefix); found || err != nil {
			return r, err
		}
	}
	runs, err := p.Runs()
	if err != nil {
		return Run{}, err
	}
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	id, err := oneSession(ids, prefix)
	if err != nil {
		return Run{}, err
	}
	return runs[slices.IndexFunc(runs, func(r Run) bool { return r.ID == id })], nil
}

// pastFromItsTime looks for a run from the time in its id on, up to its end. It does not find what
// was recorded before that time, by a clock that was set back since.
func (p *Reader) pastFromItsTime(id string) (r Run, found bool, err error) {
	h := p.reading()
	if h.gaps, err = p.Gaps(); err != nil {
		return r, false, err
	}
	slices.Reverse(h.gaps)
	var about []audit.Entry
	f := audit.Filter{Kinds: []string{"exec."}, Text: `"sid":"` + id + `"`}
	f.From, _ = p.Span(TimeOf(id), time.Time{})
	for e, err := range p.Entries(f) {
		if errors.Is(err, os.ErrNotExist) {
			return r, false, nil
		} else if err != nil && !h.bad(err) {
			return r, false, err
		}
		if err != nil {
			continue
		}
		about = append(about, e)
		if r, err = pastOf(about); err != nil {
			return r, false, err
		}
		if record.IsEnd(e.Kind) && !r.asked {
			break
		}
	}
	if h.first != nil {
		return r, false, h.first
	}
	if len(about) == 0 || about[0].Kind != record.KindIntent || r.ID != id {
		return r, false, nil
	}
	h.newest = about[len(about)-1].Offset
	if r.asked {
		if err := h.findAnswer(r); err != nil {
			return r, false, err
		}
	}
	r, err = h.run(id, about)
	return r, err == nil, err
}

// Open returns the runs that have not ended and those that wait for an answer, oldest first, but
// for those that are known already.
func (p *Reader) Open(known []Run) ([]Run, error) {
	ids, err := audit.RunningIDs(p.dir.Audit())
	if err != nil {
		return nil, err
	}
	f := audit.Filter{Kinds: []string{record.KindDenied}, Since: p.dir.Now().Add(-answerLife)}
	for envelope, open := range p.waiting() {
		if open {
			f.Texts = append(f.Texts, envelope)
		}
	}
	for e, err := range p.Entries(f) {
		var body struct{ SID string }
		if len(f.Texts) == 0 || errors.Is(err, os.ErrNotExist) {
			break
		}
		if err == nil && json.Unmarshal(e.Body, &body) == nil {
			ids = append(ids, body.SID)
		}
	}
	slices.Sort(ids)
	open := []Run{}
	for _, id := range slices.Compact(ids) {
		if slices.ContainsFunc(known, func(r Run) bool { return r.ID == id }) {
			continue
		}
		r, err := p.Past(id)
		if errors.Is(err, state.ErrNoSuch) {
			continue
		}
		if err != nil {
			return open, err
		}
		if r.State == Running || r.State == Waiting {
			open = append(open, r)
		}
	}
	return open, nil
}
