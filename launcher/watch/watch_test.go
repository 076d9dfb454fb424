package watch

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// ended is a command that failed in all ways that need no file: what was compared, in order.
func ended(goesOn bool, verify error) After {
	return After{
		Status: sandbox.Status{Exited: true, Code: 1, Left: []string{"sleep"},
			Reached: sandbox.LimitMemory},
		Complaints: "set GH_TOKEN; open /x/y: permission denied\n", GoesOn: goesOn,
		TimedOut: "timeout: too late", Dropped: func() (int64, bool) { return 7, true },
		Network: Network{Traffic: func() broker.Traffic {
			refused := broker.Connection{Kind: "tcp", Host: "h.example"}
			refused.Refused, refused.Why = true, "no rule"
			return broker.Traffic{Connections: []broker.Connection{refused}}
		}},
		Once: func(out io.Writer, text string) {
			_, _ = io.WriteString(out, "tada-run: "+text+"\n")
		},
		Verify: func(out io.Writer) error {
			_, _ = io.WriteString(out, "tada-run: verified\n")
			return verify
		},
	}
}

// told are the first words of each notice.
func told(text string) (words []string) {
	for line := range strings.Lines(text) {
		words = append(words, strings.Fields(line)[1])
	}
	return words
}

// The notices have an order, and each appears at its moments and at no other.
func TestNoticesHaveAnOrder(t *testing.T) {
	b := Before{Plan: &pathguard.Plan{Dir: "/w"}, Exact: true, Removed: []string{"GH_TOKEN"}}
	for _, test := range []struct {
		name   string
		now    Moment
		goesOn bool
		words  []string
		fields []string
	}{
		{
			"end", Ended, false,
			[]string{"commands", "timeout:", "the", "7", "ended", "blocked:", "blocked:"},
			[]string{"left_running", "limits", "network", "refused"},
		},
		{
			"hand-over", HandOver, true,
			[]string{"commands", "blocked:"}, []string{"left_running", "refused"},
		},
		{"before a hand-over", BeforeHand, true, []string{"verified"}, nil},
		{"last", Closed, false, []string{"verified"}, nil},
	} {
		var out strings.Builder
		found := Found{}
		if err := Look(b).Find(found, test.now, ended(test.goesOn, nil), &out); err != nil {
			t.Fatal(err)
		}
		var fields []string
		for name := range found {
			fields = append(fields, name)
		}
		slices.Sort(fields)
		if got := told(out.String()); !slices.Equal(got, test.words) ||
			!slices.Equal(fields, test.fields) {
			t.Errorf("%s: %q, %q\n%s", test.name, got, fields, out.String())
		}
	}
}

// What was found in protected files before a hand-over is found at the end too, without another
// look.
func TestProtectedFilesAreVerifiedOnce(t *testing.T) {
	b := Before{Plan: &pathguard.Plan{}, Exact: true}
	list, bad := Look(b), errors.New("changed")
	if err := list.Find(Found{}, BeforeHand, ended(true, bad), io.Discard); !errors.Is(err, bad) {
		t.Fatal(err)
	}
	found := Found{}
	var out strings.Builder
	err := list.Find(found, Closed, ended(true, nil), &out)
	if !errors.Is(err, bad) || found["tampered"] != true || out.Len() > 0 {
		t.Errorf("%v, %v, %q", err, found, out.String())
	}
}
