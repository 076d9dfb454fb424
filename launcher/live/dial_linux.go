package live

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/control"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/state"
)

// SweepSockets removes what launchers that were killed left behind.
func (n Runs) SweepSockets() {
	alive := audit.Alive(n.dir.Audit())
	entries, _ := os.ReadDir(n.dir.Runtime())
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), control.SocketSuffix)
		if ok && state.IsID(id) && !alive(id) {
			_ = os.Remove(filepath.Join(n.dir.Runtime(), e.Name()))
		}
	}
}

// Dial connects to the session whose id begins with prefix. The error is an [UnreachableError]
// where there is no such session to attach to.
func (n Runs) Dial(prefix string) (conn *os.File, id string, err error) {
	run, err := n.Past(prefix)
	if err != nil {
		return nil, "", err
	}
	if run.Within != "" {
		return n.Dial(run.Within)
	}
	conn, err = control.Connect(n.dir.Runtime(), run.ID)
	if err == nil {
		return conn, run.ID, nil
	}
	switch {
	case run.State != past.Running:
		return nil, run.ID, &UnreachableError{ID: run.ID,
			Reason: "it is not running (" + run.State + ")", Try: "tadactl replay " + run.ID}
	case errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED):
		return nil, run.ID, &UnreachableError{
			ID: run.ID, Reason: "only a run started with tada-run --session can be taken over; " +
				"you can watch this one",
			Try: "tadactl attach " + run.ID, Alone: true,
		}
	}
	return nil, run.ID, fmt.Errorf("connect to session %q: %w", run.ID, err)
}
