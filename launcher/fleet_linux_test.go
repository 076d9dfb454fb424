package launcher

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// A run that was judged before its machine was frozen, and that is not among the runs yet which the
// freeze ends, does not start.
func TestFrozenBeforeItStarts(t *testing.T) {
	t.Parallel()
	l, req := world(t)
	req.Shell.Text, req.Stdio = "echo ran >ran", nowhere(t)
	if err := os.MkdirAll(l.state.Fleet(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.state.Membership(), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := l.Judge(req)
	if err != nil || j.Verdict.IsFrozen() {
		t.Fatalf("%v, %v", j.Verdict, err)
	}
	j.Verdict.Decision = pathguard.Allow // as with fleet.offline and without an agent
	out, err := l.carry(context.Background(), j, nil,
		func(context.Context, *attempt) (*permit.Authority, *refusal.Refusal, error) {
			return &permit.Authority{}, nil,
				os.WriteFile(l.state.Freeze(), []byte("by ann\n"), 0o600)
		})
	if err != nil || out.Refusal == nil || out.Status != exit.Denied {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(req.Dir, "ran")); err == nil {
		t.Error("it ran")
	}
}

// The list of people of a fleet counts on its machines, and nowhere else.
func TestTrustOfTheFleet(t *testing.T) {
	t.Parallel()
	l, _ := world(t)
	if err := os.MkdirAll(l.state.Fleet(), 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := approval.NewKey("ann", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range []struct{ path, text string }{
		{l.state.FleetTrust(), key.TrustLine() + "\n"}, {l.state.Membership(), "{}"},
	} {
		if err := os.WriteFile(file.path, []byte(file.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := l.Trusted(); err != nil || len(list) != i {
			t.Errorf("after %s: %v, %v", filepath.Base(file.path), list, err)
		}
	}
}
