package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/integration/fleet/ship"
)

// Machines that cosigned count beside the witnesses of the team, and each is named.
func TestFindingHasMachines(t *testing.T) {
	now := time.Now()
	text := findingText(ship.Finding{ID: "tada-1", Covered: now, Seen: []ship.Seen{
		{Witness: "team.example", Time: now}, {Witness: "other.example"},
		{Witness: "tada-2", Machine: document.Machine{ID: "tada-2", Name: "build-2"}, Time: now},
	}}, nil)
	for _, want := range []string{"cosigned by 1 of 2 witnesses of the team, and by 1 machine\n",
		"not cosigned by other.example\n", "cosigned by machine build-2 (tada-2) at "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

// What a witness says is said, and so is that it has said nothing.
func TestWitnessing(t *testing.T) {
	now := time.Now()
	for want, w := range map[string]witnessing{
		"has not answered yet":  {ID: "tada-1"},
		"has seen 1 entry, at ": {ID: "tada-1", Entries: 1, Time: now},
		`: "it was cut"`:        {ID: "tada-1", Refused: "it was cut", Time: now},
	} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("%q is not in %q", want, w)
		}
	}
}

// The list names a machine whose log others refuse, unless they are revoked.
func TestListNamesRefusals(t *testing.T) {
	refuses := []people.Refusal{{Machine: "tada-1", Why: "it was cut"}}
	all := []people.Member{{Machine: document.Machine{ID: "tada-1", Name: "one"},
		Unshipped: "no room", Replays: []string{"an old answer"}},
		{Machine: document.Machine{ID: "tada-2", Name: "two"}, Refuses: refuses},
		{Machine: document.Machine{ID: "tada-3", Name: "three"}, Refuses: refuses, Revoked: true}}
	got := troubles(all[0], refusedBy(all, "tada-1"))
	if want := `    its record is not shipped: "no room"
    two does not cosign its record: "it was cut"
    somebody gave it an old answer: look who can write answers in etcd
`; got != want {
		t.Errorf("%q", got)
	}
}
