package launcher

import (
	"errors"
	"os"
	"time"

	"github.com/tada-run/tada-run/launcher/undo"
)

// errNothingKept is for runs of which there is no journal: they changed nothing, or it is too old.
var errNothingKept = errors.New("nothing is kept of what it changed")

func (l *Launcher) undoStore() (*undo.Store, error) {
	set := l.undoSettings()
	return undo.Open(l.state.Undo(), undo.Options{Quota: set.Quota, File: set.File, Keep: set.Keep,
		Own: l.state.Dir})
}

// collectKept deletes what is kept of old runs, and says of how many. For room it spares what is
// younger than that.
func (l *Launcher) collectKept(spare time.Duration) (int, error) {
	if _, err := os.Stat(l.state.Undo()); err != nil {
		return 0, nil
	}
	store, err := l.undoStore()
	if err != nil {
		return 0, err
	}
	freed, err := store.GC(l.state.Now(), spare)
	return len(freed.Runs), err
}

// Kept returns what a run changed.
func (l *Launcher) Kept(id string) (*undo.Run, error) {
	store, err := l.undoStore()
	if err != nil {
		return nil, err
	}
	return store.Read(id)
}

// PlanUndo returns what an undo would do.
func (l *Launcher) PlanUndo(take undo.Take) ([]undo.Step, error) {
	store, err := l.undoStore()
	if err != nil {
		return nil, err
	}
	return store.Plan(take)
}

func (l *Launcher) keptRuns() ([]undo.Info, error) {
	store, err := l.undoStore()
	if err != nil {
		return nil, err
	}
	return store.Runs()
}
