package integration

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// SIGKILL before any call of setup, or of its undo, leaves each file as it was before or as it is
// after, and an undo then puts everything back.
func TestSetUpKilledAtEachStep(t *testing.T) {
	for _, undo := range []bool{false, true} {
		t.Run(fmt.Sprintf("undo %v", undo), func(t *testing.T) {
			t.Parallel()
			p, home := anAccount(t)
			claude := filepath.Join(home, ".claude/settings.json")
			if err := errors.Join(os.MkdirAll(filepath.Dir(claude), 0o755),
				os.WriteFile(claude, []byte("{\"a\":  1}\n"), 0o640),
				p.beKiller()); err != nil {
				t.Fatal(err)
			}
			p.killEach(home, undo)
		})
	}
}

// beKiller makes killat a link to this program.
func (p *place) beKiller() error {
	self, err := os.Executable()
	link := filepath.Join(filepath.Dir(p.dir), "bin/killat")
	return errors.Join(err, os.Symlink(self, link))
}

// killEach kills setup, or its undo, at each step. Codex has no folder, so its file and its folder
// are made; Claude Code has a file.
func (p *place) killEach(home string, undo bool) {
	p.t.Helper()
	const which = "--agent codex --agent claude-code"
	t := p.t.(*testing.T)
	before := whole(t, home)
	there := p.planOf(which)
	p.setUp(which)
	after := whole(t, home)
	back := p.planOf("--undo")
	p.setUp("--undo")
	line := "tadactl setup " + there
	if undo {
		line = "tadactl setup " + back
	}
	stride := max(28/hermetic.Rounds(40), 1) // with TEST_ROUNDS=1 each call
	killed, n := 0, 1+rand.IntN(stride)
	for ; ; n += stride {
		if undo {
			p.setUp(which)
		}
		out := p.answered(fmt.Sprintf("killat %d %s; echo status $?", n, line))
		ended(t, p.dir)
		was, is := before, whole(t, home)
		for _, one := range strings.Split(is, "\n") {
			name, _, _ := strings.Cut(one, " ")
			if !strings.Contains(name, "/.tada-") && !strings.Contains(was+after, one+"\n") {
				t.Fatalf("call %d: neither as before nor as after: %s", n, one)
			}
		}
		said := p.setUp("--undo")
		if is := whole(t, home); is != before || !strings.Contains(said, "status 0") {
			t.Fatalf("call %d: not as before: %s\n%s", n, said, apart(before, is))
		}
		if out := p.run("tadactl tamper status"); strings.Contains(out, home) {
			t.Fatalf("call %d: still protected: %s", n, out)
		}
		if !strings.Contains(out, "status 137") {
			break
		}
		killed++
	}
	t.Logf("killed at %d of about %d calls", killed, n)
	if said := p.setUp(which); whole(t, home) != after {
		t.Errorf("at the end: %s", said)
	}
	if out := p.run("tadactl audit verify"); !strings.HasPrefix(out, "ok: ") {
		t.Error(out)
	}
}
