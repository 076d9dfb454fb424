package watch

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A command that left processes running is told which, once each, and what to type instead; a
// session and a command that left nothing are told nothing, and why they did not go on is told
// where there is a reason.
func TestLeftRunningIsTold(t *testing.T) {
	for _, test := range []struct {
		left    []string
		session bool
		want    string
	}{
		{nil, false, ""},
		{[]string{"sleep", "node", "sleep"}, false,
			"tada-run: ended with the command, which left it running: node, sleep; to start what keeps running: tada-run --background 'COMMAND'\n"},
		{[]string{"a", "b", "c", "d", "e", "f", "g\x1b[2J"}, false,
			"tada-run: ended with the command, which left it running: a, b, c, d, e and 2 more; to start what keeps running: tada-run --background 'COMMAND'\n"},
		{[]string{"x\x1b[2J"}, false,
			"tada-run: ended with the command, which left it running: x\\x1b[2J; to start what keeps running: tada-run --background 'COMMAND'\n"},
		{[]string{"sleep"}, true, ""},
	} {
		var out bytes.Buffer
		b, a := Before{Session: test.session}, After{Status: sandbox.Status{Left: test.left}}
		if found := leftRunning(b, a, &out); out.String() != test.want ||
			(len(found) > 0) != (test.want != "") {
			t.Errorf("%q: %q, %q", test.left, out.String(), found)
		}
	}
	var out bytes.Buffer
	a := After{Status: sandbox.Status{Left: []string{"sleep"}}, WhyEnded: "not here"}
	if leftRunning(Before{}, a, &out); !strings.Contains(out.String(),
		"running: sleep; not here; to start") {
		t.Errorf("told %q", out.String())
	}
}
