package console_test

import (
	"os"
	"strings"
	"testing"
)

// The page of the policy shows the one of now.
func TestPolicyOfNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.enter()
	const text = "rules: {commands: [{program: make, verdict: deny, message: not here}]}\n"
	if _, page := g.send("GET", g.root+"policy", "", nil); strings.Contains(page, "make") {
		t.Fatal(page)
	}
	if err := os.WriteFile(w.l.Home().Config(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, page := g.send("GET", g.root+"policy", "", nil); !strings.Contains(page, "make") {
		t.Error(page)
	}
}
