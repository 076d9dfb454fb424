package launcher

import (
	"bytes"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A command that left processes running is told which, once each, and what to type instead; a session and a command that left nothing are told nothing.
func TestLeftBehindIsTold(t *testing.T) {
	for _, test := range []struct {
		left    []string
		session bool
		want    string
	}{
		{nil, false, ""},
		{[]string{"sleep", "node", "sleep"}, false, "tada-run: ended with the command, which left it running: node, sleep; to start what keeps running: tada-run --background 'COMMAND'\n"},
		{[]string{"a", "b", "c", "d", "e", "f", "g\x1b[2J"}, false, "tada-run: ended with the command, which left it running: a, b, c, d, e and 2 more; to start what keeps running: tada-run --background 'COMMAND'\n"},
		{[]string{"x\x1b[2J"}, false, "tada-run: ended with the command, which left it running: x\\x1b[2J; to start what keeps running: tada-run --background 'COMMAND'\n"},
		{[]string{"sleep"}, true, ""},
	} {
		var out bytes.Buffer
		e := endedRun(&Judgement{}, sandbox.Status{Left: test.left})
		if test.session {
			e.Request.Hold = &Hold{}
		}
		if found := leftRunning(e, &out); out.String() != test.want || (len(found) > 0) != (test.want != "") {
			t.Errorf("%q: %q, %q", test.left, out.String(), found)
		}
	}
	l, req := world(t)
	if got := status(t, l, req, "sleep 3600 & echo hi"); got != 0 {
		t.Fatal(got)
	}
	ends := entriesOf(t, l, kindEnd)
	if len(ends) != 1 {
		t.Fatal(ends)
	}
	if left, ok := ends[0]["left_running"].([]any); !ok || len(left) != 1 || left[0] != "sleep" {
		t.Errorf("the record has %v", ends[0]["left_running"])
	}
}
