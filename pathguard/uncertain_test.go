package pathguard

import (
	"testing"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
)

// Where names are compared without case, a new name that may be spelled in another way than a rule
// is asked about. Each name is tried as one that nothing has.
func TestNewNamesInAnotherSpelling(t *testing.T) {
	p := Default(Account{Home: "/Users/dev"})
	add := func(path string) {
		if err := p.tree.add(path, mark{kind: markRestricted, path: path}); err != nil {
			t.Fatal(err)
		}
	}
	add("/Users/dev/code/Plans/secret")
	add("**/*.Sealed")
	for missing, asks := range map[string]bool{
		"out.txt": false, "a/b/main.go": false, "new file": false,
		"Out.txt": true, "a/B": true, "gro\u00df": true,
		"claude.md": true, "library/x": true, "plans": true, "a.sealed": true,
	} {
		var target resolve.Target
		target.Real, target.Missing, target.Why = "/Users/dev/code", missing, walk.WhyCaseless
		if got := p.isUncertain(&target, ToWrite); got != asks {
			t.Errorf("%q: asks %v, want %v", missing, got, asks)
		}
		if p.isUncertain(&target, ToRead) {
			t.Errorf("%q: asks to read what is not there", missing)
		}
		if target.Why = ""; p.isUncertain(&target, ToWrite) {
			t.Errorf("%q: asks where case counts", missing)
		}
	}
	var found resolve.Target
	found.Real, found.Why = "/Users/dev/code/a", walk.WhyUnnamed
	if !p.isUncertain(&found, ToRead) {
		t.Error("a file whose name is not certain is read unasked")
	}
}
