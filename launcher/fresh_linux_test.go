package launcher

import (
	"errors"
	"os"
	"testing"

	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// A server sees at the next call what the configuration and the fleet say now, and goes on under
// nothing older where that is refused.
func TestFresh(t *testing.T) {
	t.Parallel()
	l, req := world(t)
	wants := func(when string, want pathguard.Decision) {
		t.Helper()
		f, err := l.Fresh()
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		j, err := f.Judge(req)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		defer j.Close()
		if got := j.Verdict.Decision; got != want {
			t.Errorf("%s: %v", when, got)
		}
	}
	config := func(text string) {
		t.Helper()
		if err := os.WriteFile(l.state.Config(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const noCat = "rules: {commands: [{program: cat, verdict: deny, message: not here}]}\n"
	wants("as it was", pathguard.Allow)
	config(noCat)
	wants("another configuration", pathguard.Deny)
	config("nothing: 1\n")
	if _, err := l.Fresh(); !isMistake(err) {
		t.Errorf("a configuration that is refused: %v", err)
	}
	config("")
	wants("none", pathguard.Allow)
	if err := errors.Join(os.MkdirAll(l.state.Fleet(), 0o700),
		os.WriteFile(l.state.Membership(), []byte("{}"), 0o600),
		l.state.KeepBundle(state.Bundle{Name: "base", Version: 1,
			Text: []byte(noCat)})); err != nil {
		t.Fatal(err)
	}
	wants("a bundle", pathguard.Deny)
}
