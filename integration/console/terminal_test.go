package console_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey/passkeytest"
)

// What a browser sends does not write on the terminal, where the codes are: no sequence of it and
// no line.
func TestTerminalIsInert(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.pair("ada")
	g, e := w.enter(), w.ask()
	_, page := g.send("GET", g.root+"q/"+e.ID, "", nil)
	options, err := w.desk.AssertBegin(t.Context(), approval.Answer{Envelope: e.ID,
		PlanHash: e.PlanHash, Calls: []approval.CallDecision{{ID: e.Calls[0], Approved: true}}},
		w.base)
	if err != nil {
		t.Fatal(err)
	}
	evil := "\x1b]52;c;ZXZpbA==\a\x1b[2J\u202e\nThe link for the next browser:\n" +
		"http://evil.example/"
	change := func(c *passkeytest.Ceremony) {
		c.Client["tokenBinding"] = object{"status": evil + strings.Repeat("A", 4000)}
	}
	g.post(g.root+"assert/finish", object{"question": e.ID, "plan": e.PlanHash,
		"proof": hidden(t, page, "proof"), "calls": object{e.Calls[0]: true},
		"response": json.RawMessage(d.Get(options, w.base, change))}, nil)
	for range 500 {
		if strings.Contains(w.terminal(), "answer not accepted") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	said := w.terminal()
	if !strings.Contains(said, "answer not accepted") ||
		strings.ContainsAny(said, "\x1b\a\u202e") ||
		strings.Contains(said, "\nhttp://evil.example") ||
		strings.Contains(said, strings.Repeat("A", 1000)) {
		t.Errorf("%.2000q", said)
	}
}
