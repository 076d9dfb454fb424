package attack

import (
	"context"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// The attacks that are for other systems work here without a sandbox, and the sandbox of this one
// stops them: so they attack what they say.
func TestPlainAttacks(t *testing.T) {
	t.Parallel()
	foreign := map[string]string{"start a program by launchd": "macOS",
		"another case": "a file system without case", "Unix socket": "nc",
		"command lines of processes outside": "ps"}
	for _, level := range []sandbox.Level{sandbox.Base, sandbox.Strong} {
		rows, err := tryPlain(context.Background(), level)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			switch {
			case r.Outcome == Broken:
				t.Errorf("%v: %s works: %s", level, r.Name, r.Note)
			case r.Outcome == Unproven && foreign[r.Name] == "":
				t.Errorf("%v: %s does not work without a sandbox either: %s", level, r.Name, r.Note)
			case r.Outcome == Told && level == sandbox.Strong:
				t.Errorf("strong has lost %s: %s", r.Name, r.Note)
			}
		}
	}
}
