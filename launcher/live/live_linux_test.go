package live

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/control"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }

// Where nothing runs there is nothing to end, and what launchers that were killed left is removed.
func TestNothingRuns(t *testing.T) {
	home, err := state.OpenHome(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	dir := home.Use()
	log := record.Of(dir)
	approvals, err := permit.Open(dir, log)
	if err != nil {
		t.Fatal(err)
	}
	runs := Of(past.Of(log, dir, approvals), dir)
	id, err := state.NewID(dir.Now(), dir.Random)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runs.Kill(id); !errors.Is(err, state.ErrNoSuch) {
		t.Errorf("kill: %v", err)
	}
	if _, _, err := runs.Dial(id); !errors.Is(err, state.ErrNoSuch) {
		t.Errorf("dial: %v", err)
	}
	if ended, err := runs.EndAll(time.Second); len(ended) > 0 || err != nil {
		t.Errorf("%v, %v", ended, err)
	}
	left := filepath.Join(dir.Runtime(), id+control.SocketSuffix)
	if err := errors.Join(os.MkdirAll(dir.Runtime(), 0o700),
		os.WriteFile(left, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	runs.SweepSockets()
	if _, err := os.Lstat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a socket is left: %v", err)
	}
}
