package preimage

import (
	"errors"
	"slices"

	"github.com/tada-run/tada-run/launcher/undo"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// What the broker announces goes to the journal. An error of the journal is in it; the command goes
// on, and its run cannot be undone whole.

func (r *Run) Make(dir int, in, name string) error {
	return r.announce(in, func(j *undo.Journal) error { return j.Make(dir, in, name) })
}

func (r *Run) MakeNext(dir int, in, name string) (done bool) {
	if !r.covers(in) {
		return false // Make notes it
	}
	_ = r.announce(in, func(j *undo.Journal) error {
		done = j.MakeNext(dir, name)
		return nil
	})
	return done
}

func (r *Run) Remove(dir int, in, name string) error {
	return r.announce(in, func(j *undo.Journal) error { return j.Remove(dir, in, name) })
}

func (r *Run) Move(dir int, in, name string, to int, toIn, toName string, exchange bool) error {
	covered := in
	if !r.covers(in) { // it comes from where nothing is kept
		covered = toIn
	}
	return r.announce(covered, func(j *undo.Journal) error {
		return j.Move(dir, in, name, to, toIn, toName, exchange)
	})
}

func (r *Run) Write(handle int, full string) error {
	return r.announce(full, func(j *undo.Journal) error { return j.Write(handle, full) })
}

func (r *Run) Mark(handle int, full string) error {
	if slices.Contains(r.trees, full) {
		r.Miss(full, "mode, owner, times and attributes of the folder itself are not kept")
		return nil
	}
	return r.announce(full, func(j *undo.Journal) error { return j.Mark(handle, full) })
}

// IsNew reports whether nothing is kept of what was made at this time.
func (r *Run) IsNew(birth int64) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.journal != nil && !r.parts.over() && r.journal.IsNew(birth)
}

// announce passes on what is about to happen in a folder, or to a file.
func (r *Run) announce(name string, to func(*undo.Journal) error) error {
	err := r.note(name, to)
	if err != nil && r.stands {
		r.refused.Store(true)
	}
	return err
}

func (r *Run) note(name string, to func(*undo.Journal) error) error {
	if !r.covers(name) {
		if r.stands {
			return undo.ErrElsewhere
		}
		r.Miss(name, undo.ErrElsewhere.Error())
		return nil
	}
	r.mu.RLock()
	if r.journal != nil && r.parts.over() {
		r.mu.RUnlock()
		r.catchUp()
		r.mu.RLock()
	}
	defer r.mu.RUnlock()
	switch {
	case r.journal == nil && r.stands:
		return errors.New("the command has ended")
	case r.journal == nil:
		return nil // the command has ended
	}
	return to(r.journal)
}

func (r *Run) covers(name string) bool {
	return pathname.WithinAny(name, r.trees)
}
