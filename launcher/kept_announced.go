package launcher

import (
	"errors"
	"slices"

	"github.com/tada-run/tada-run/launcher/undo"
)

// What the broker announces goes to the journal. An error of the journal is in it; the command goes
// on, and its run cannot be undone whole.

func (k *kept) Make(dir int, in, name string) error {
	return k.announce(in, func(j *undo.Journal) error { return j.Make(dir, in, name) })
}

func (k *kept) MakeNext(dir int, in, name string) (done bool) {
	_ = k.announce(in, func(j *undo.Journal) error {
		done = j.MakeNext(dir, name)
		return nil
	})
	return done
}

func (k *kept) Remove(dir int, in, name string) error {
	return k.announce(in, func(j *undo.Journal) error { return j.Remove(dir, in, name) })
}

func (k *kept) Move(dir int, in, name string, to int, toIn, toName string, exchange bool) error {
	covered := in
	if !k.covers(in) { // it comes from where nothing is kept
		covered = toIn
	}
	return k.announce(covered, func(j *undo.Journal) error {
		return j.Move(dir, in, name, to, toIn, toName, exchange)
	})
}

func (k *kept) Write(handle int, full string) error {
	return k.announce(full, func(j *undo.Journal) error { return j.Write(handle, full) })
}

func (k *kept) Mark(handle int, full string) error {
	if slices.Contains(k.trees, full) {
		k.Miss(full, "mode, owner, times and attributes of the folder itself are not kept")
		return nil
	}
	return k.announce(full, func(j *undo.Journal) error { return j.Mark(handle, full) })
}

func (k *kept) IsNew(birth int64) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.journal != nil && !k.parts.over() && k.journal.IsNew(birth)
}

// announce passes on what is about to happen in a folder, or to a file.
func (k *kept) announce(name string, to func(*undo.Journal) error) error {
	err := k.note(name, to)
	if err != nil && k.stands {
		k.refused.Store(true)
	}
	return err
}

func (k *kept) note(name string, to func(*undo.Journal) error) error {
	if !k.covers(name) {
		if k.stands {
			return undo.ErrElsewhere
		}
		k.Miss(name, undo.ErrElsewhere.Error())
		return nil
	}
	k.mu.RLock()
	if k.journal != nil && k.parts.over() {
		k.mu.RUnlock()
		k.catchUp()
		k.mu.RLock()
	}
	defer k.mu.RUnlock()
	switch {
	case k.journal == nil && k.stands:
		return errors.New("the command has ended")
	case k.journal == nil:
		return nil // the command has ended
	}
	return to(k.journal)
}

func (k *kept) covers(name string) bool {
	return slices.ContainsFunc(k.trees, func(tree string) bool { return isWithin(name, tree) })
}
