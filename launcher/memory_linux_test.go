package launcher

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// State, home and workspace may lie in what all programs share, or with private_tmp in what is
// private to a run. The workspace is there and stays writable. In a private place the rest is not
// to be seen, and what the run leaves is gone; in a shared one it is found by all.
func TestWorkspaceInWhatIsPrivate(t *testing.T) {
	for place, config := range map[string]string{"/dev/shm": "",
		os.TempDir(): "private_tmp: true\n"} {
		t.Run(filepath.Base(place), func(t *testing.T) {
			dir, err := os.MkdirTemp(place, "tada-test-")
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			l, req := world(t)
			work, state := filepath.Join(dir, "work"), filepath.Join(dir, "state")
			if err := errors.Join(os.Mkdir(work, 0o755), os.Mkdir(state, 0o700),
				os.WriteFile(filepath.Join(state, "config.yaml"), []byte(config), 0o600),
				os.WriteFile(filepath.Join(dir, "beside"), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			level := l.level()
			if l, err = own(state).Open(); err != nil {
				t.Fatal(err)
			}
			l.Caller = personHere
			req.Dir = work
			for _, line := range []string{
				"echo a > made; cat made", "awk 'BEGIN {print 1 >\"other\"}' && cat made other",
				"cat made; mv made moved; rm other",
				"awk 'BEGIN {print 1 >\"/dev/shm/tada-left\"}' && cat /dev/shm/tada-left",
			} {
				if got := status(t, l, req, line); got != 0 {
					t.Errorf("%s: status %d", line, got)
				}
			}
			private := config != "" && level == sandbox.Strong
			if got := status(t, l, req, `ls .. | grep -c . | grep -qx 1`); (got == 0) != private {
				t.Errorf("what is beside the workspace, seen or not: %d", got)
			}
			if err := os.Remove("/dev/shm/tada-left"); (err != nil) != private {
				t.Errorf("what it left in the /dev/shm of all: %v", err)
			}
			if text, err := os.ReadFile(filepath.Join(work, "moved")); err != nil ||
				string(text) != "a\n" {
				t.Errorf("%q, %v", text, err)
			}
			for _, start := range entriesOf(t, l, record.KindStart) {
				if fmt.Sprint(start["level"]) != level.String() {
					t.Errorf("it ran at level %v", start["level"])
				}
			}
		})
	}
}

// Where level base cannot hide the state or the home, the refusal says which of them is to move.
func TestWhatHasToMove(t *testing.T) {
	l, _ := world(t)
	top := filepath.Dir(l.state.Dir)
	for path, want := range map[string]string{
		l.state.Dir: "move the state directory", l.state.Dir + "/audit": "move the state directory",
		l.account + "/.ssh":                "move the home directory",
		filepath.Join(top, "work", ".env"): "tadactl doctor, which",
	} {
		err := l.unfenced(fmt.Errorf("start: %w",
			&sandbox.CannotHideError{Path: path, Root: top, Level: sandbox.Base}))
		if !errors.Is(err, sandbox.ErrCannotHide) ||
			!strings.Contains(err.Error(), "; try: "+want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
