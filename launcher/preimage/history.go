package preimage

import (
	"errors"
	"os"
	"time"

	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/launcher/undo"
	"github.com/tada-run/tada-run/pathguard"
)

// A History is what runs changed, as it was before, in one state directory.
type History struct {
	dir       *state.Directory
	past      *past.Reader
	settings  func() pathguard.Undo
	workspace func(folder string) (string, error)
}

// Of returns what is kept in a state directory of runs on record. Settings are those in force;
// workspace finds the workspace around a folder.
func Of(dir *state.Directory, p *past.Reader, settings func() pathguard.Undo,
	workspace func(folder string) (string, error)) *History {
	return &History{dir, p, settings, workspace}
}

// errNothingKept is for runs of which there is no journal: they changed nothing, or it is too old.
var errNothingKept = errors.New("nothing is kept of what it changed")

// UndoStore opens the store of all that is kept.
func (h *History) UndoStore() (*undo.Store, error) {
	set := h.settings()
	return undo.Open(h.dir.Undo(), undo.Options{Quota: set.Quota, File: set.File, Keep: set.Keep,
		Own: h.dir.Dir})
}

// CollectKept deletes what is kept of old runs, and says of how many. For room it spares what is
// younger than that.
func (h *History) CollectKept(spare time.Duration) (int, error) {
	if _, err := os.Stat(h.dir.Undo()); err != nil {
		return 0, nil
	}
	store, err := h.UndoStore()
	if err != nil {
		return 0, err
	}
	freed, err := store.GC(h.dir.Now(), spare)
	return len(freed.Runs), err
}

// Kept returns what a run changed.
func (h *History) Kept(id string) (*undo.Run, error) {
	store, err := h.UndoStore()
	if err != nil {
		return nil, err
	}
	return store.Read(id)
}

// PlanUndo returns what an undo would do.
func (h *History) PlanUndo(take undo.Take) ([]undo.Step, error) {
	store, err := h.UndoStore()
	if err != nil {
		return nil, err
	}
	return store.Plan(take)
}

// KeptRuns are the journals in it.
func (h *History) KeptRuns() ([]undo.Info, error) {
	store, err := h.UndoStore()
	if err != nil {
		return nil, err
	}
	return store.Runs()
}
