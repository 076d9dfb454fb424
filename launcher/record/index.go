package record

import (
	"errors"
	"iter"
	"os"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/state"
)

// worthKeeping is how much of the log is read again each time before the index is written again.
const worthKeeping = 1 << 20

// index returns the index of the log as it is now. It is kept beside the log, so that the next
// reader begins where this one ended; who may not write there reads more.
func (r *Record) index() (audit.Index, error) {
	x, _ := audit.LoadIndex(r.dir.Index())
	before := x.Through.Size
	if err := x.Extend(r.dir.Audit(), r.Codec); err != nil {
		return x, err
	}
	if x.Through.Size-before > worthKeeping {
		_ = state.Replace(r.dir.Index(), []byte(x.String()))
	}
	return x, nil
}

// Reindex makes the index anew: from what is proven, where the caller has just verified the log. An
// index that cannot be written is not there.
func (r *Record) Reindex() {
	var x audit.Index
	if x.Extend(r.dir.Audit(), r.Codec) != nil || x.Through.Size < worthKeeping ||
		state.Replace(r.dir.Index(), []byte(x.String())) != nil {
		_ = os.Remove(r.dir.Index())
	}
}

// Span returns the part of the log in which the entries of a time are: from a byte to one, 0 for
// the end. There may be others in it, where the clock was set back.
func (r *Record) Span(since, until time.Time) (from, to int64) {
	if since.IsZero() && until.IsZero() {
		return 0, 0
	}
	x, err := r.index()
	if err != nil {
		return 0, 0 // all of it
	}
	if !since.IsZero() {
		if from, err = x.Since(r.dir.Audit(), since, r.Codec); err != nil {
			from = 0
		}
	}
	if !until.IsZero() {
		if to, err = x.Since(r.dir.Audit(), until, r.Codec); err != nil || !x.Ordered(to) {
			return from, 0
		}
		to = max(to, 1)
	}
	return from, to
}

// Gaps returns the parts of the log that hold no entries or are not proven, oldest first.
func (r *Record) Gaps() (gaps []audit.Gap, err error) {
	for e, err := range r.indexed(gapKinds...) {
		if err != nil {
			return gaps, err
		}
		if g, ok := e.Gap(); ok {
			gaps = append(gaps, g)
		}
	}
	return gaps, nil
}

// Redactions returns the entries by which texts were removed from transcripts, oldest first.
func (r *Record) Redactions() iter.Seq2[audit.Entry, error] { return r.indexed(audit.KindRedact) }

// indexed returns the entries of some kinds that the index has, oldest first.
func (r *Record) indexed(kinds ...string) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		x, err := r.index()
		if err != nil {
			yield(audit.Entry{}, err)
			return
		}
		for _, at := range x.At(kinds...) {
			f := audit.Filter{From: at, Codec: r.Codec}
			for e, err := range audit.Entries(r.dir.Audit(), f) {
				if _, ok := errors.AsType[*audit.BadEntry](err); ok { // verify finds it
					break
				}
				if e.Offset == at && !yield(e, err) {
					return
				}
				break
			}
		}
	}
}
