package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

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

// What is printed of the state of a machine. One that holds its place and says nothing is named.
func TestStandingOfAMachine(t *testing.T) {
	long := time.Now().Add(-time.Hour)
	for want, m := range map[string]people.Member{
		"never seen":   {},
		"connected":    {Connected: true, Seen: time.Now()},
		"silent since": {Seen: long},
		"revoked":      {Revoked: true, Seen: long},
		"connected, quiet since " + long.Format(minutes): {Connected: true, Seen: long},
	} {
		if got := standing(m); got != want && (want != "silent since" ||
			!strings.HasPrefix(got, want)) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What policy status prints of a version that a machine tries.
func TestStandingOnTrial(t *testing.T) {
	var out bytes.Buffer
	f := &fleet{out: &out}
	err := f.standing(people.Member{}, people.Standing{Name: "base", Version: 3,
		Stage: document.Shadow, Runs: 1, Differ: 1})
	want := "version 3 is on trial: 1 run tried, 1 with another verdict, 0 denied\n"
	if err != nil || !strings.HasSuffix(out.String(), want) {
		t.Errorf("%q, %v", out.String(), err)
	}
}
