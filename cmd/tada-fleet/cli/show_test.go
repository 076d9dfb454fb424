package cli

import (
	"testing"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
)

// What is printed of a bundle, and of a machine that cannot read what it has.
func TestSays(t *testing.T) {
	for want, s := range map[string]people.Standing{
		`its bundles cannot be read: "no file"`: {Error: "no file"},
		`base@2 cannot be used: "a key"`:        {Name: "base", Version: 2, Error: "a key"},
		"base@2 is on trial": {Name: "base", Version: 2,
			Stage: document.Shadow},
		"base@2 is in force": {Name: "base", Version: 2, Stage: document.Force},
	} {
		if got := says(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
