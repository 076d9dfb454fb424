package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/launcher/undo"
	"github.com/tada-run/tada-run/pathguard"
)

// errNothingKept is for runs of which there is no journal: they changed nothing, or it is too old.
var errNothingKept = errors.New("nothing is kept of what it changed")

func (l *Launcher) undoStore() (*undo.Store, error) {
	set := l.undoSettings()
	return undo.Open(l.state.Undo(), undo.Options{Quota: set.Quota, File: set.File, Keep: set.Keep})
}

// collectKept deletes what is kept of old runs, and says of how many.
func (l *Launcher) collectKept() (int, error) {
	if _, err := os.Stat(l.state.Undo()); err != nil {
		return 0, nil
	}
	store, err := l.undoStore()
	if err != nil {
		return 0, err
	}
	freed, err := store.GC(l.state.Now())
	return len(freed.Runs), err
}

// undoSettings are those in force. A configuration that is refused keeps what its defaults keep.
func (l *Launcher) undoSettings() pathguard.Undo {
	set := l.policy.Settings().UndoInForce()
	set.Except = slices.Clone(set.Except)
	for i, name := range set.Except {
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			set.Except[i] = filepath.Join(l.account, rest)
		}
	}
	return set
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

// Undo takes runs back for a person. It is a run of its own, with the command line that asked for
// it, in the record and for further undos.
func (l *Launcher) Undo(take undo.Take, command, dir string) (result undo.Result, err error) {
	if _, err := l.May(approval.RestoreFile, approval.ChannelTadactl); err != nil {
		return result, err
	}
	store, err := l.undoStore()
	if err != nil {
		return result, err
	}
	id, err := state.NewID(l.state.Now(), l.state.Random)
	if err != nil {
		return result, err
	}
	log, err := l.OpenLog()
	if err != nil {
		return result, err
	}
	defer log.Close()
	running, err := log.Begin(id)
	if err != nil {
		return result, err
	}
	defer func() { _ = running.End() }()
	if err := appendTo(log, record.KindIntent, object{"sid": id, "command": command, "cwd": dir,
		"verdict": "allow", "risk": 0, "undoes": strings.Join(take.Runs, " "),
		"version": Version()}, audit.Intent); err != nil {
		return result, err
	}
	result, err = store.Undo(take, id)
	end, status := object{"sid": id, "exited": true, "signal": 0}, 0
	if err != nil {
		status, end["problem"] = 1, err.Error()
	} else if result.Refused > 0 {
		status = 1
	}
	end["status"] = status
	if run, bad := store.Read(id); bad == nil {
		changesOf(run.Summary(), nil, 0).record(end)
	}
	return result, errors.Join(err, appendTo(log, record.KindEnd, end, audit.Durable))
}

func appendTo(log *audit.Log, kind string, body object, d audit.Durability) error {
	b, err := canonical.Append(nil, body)
	if err == nil {
		_, err = log.Append(kind, b, d)
	}
	if err != nil {
		return &record.Error{Kind: kind, Err: err}
	}
	return nil
}
