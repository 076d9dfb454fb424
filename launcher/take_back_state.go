package launcher

import (
	"errors"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// An UndoState is what is kept for undo, and whether it works in a folder.
type UndoState struct {
	Works bool   `json:"works"`
	Why   string `json:"why,omitempty"` // it does not
	Runs  int    `json:"runs"`
	Bytes int64  `json:"bytes"`
	Quota int64  `json:"quota"`
	Keep  string `json:"keep"`
	// where what is removed is kept by a link, which costs no room; "" where it is copied
	Place string `json:"place,omitempty"`
}

// UndoState tells how things are with undo for runs in a folder.
func (l *Launcher) UndoState(dir string) UndoState {
	set := l.undoSettings()
	u := UndoState{Quota: set.Quota, Keep: daysText(set.Keep)}
	err := func() error {
		switch {
		case set.Quota == 0:
			return errors.New("undo.quota is 0, so nothing is kept")
		case l.level() == sandbox.None:
			return errors.New("there is no sandbox here, so nothing is kept")
		}
		store, err := l.UndoStore()
		if err != nil {
			return err
		}
		runs, err := store.Runs()
		if err != nil {
			return err
		}
		u.Runs = len(runs)
		if u.Bytes, err = store.Held(); err != nil {
			return err
		}
		u.Place, err = store.Place(dir)
		return err
	}()
	if u.Works = err == nil; err != nil {
		u.Why = err.Error()
	}
	return u
}
