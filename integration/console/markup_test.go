package console

import (
	"strings"
	"testing"
	"time"

	g "maragu.dev/gomponents"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/replay"
	"github.com/tada-run/tada-run/launcher/undo"
	"github.com/tada-run/tada-run/pathguard"
)

// What the parts of pages show is text, in every field of what they show.
func TestPartsAreText(t *testing.T) {
	const bad = `"><script>document.title=1</script>` + "\u202e\u200b\x1b[2J\n"
	s := visit{Server: &Server{}, session: &session{path: "path", cookie: "cookie"}}
	now := time.Unix(0, 0)
	grant := approval.Grant{ID: "id", Approver: bad, Payload: []byte(bad)}
	for name, n := range map[string]g.Node{
		"connections": table([]string{"time", "host", "address", "program", "result"},
			connectionRows([]past.Connection{{Host: bad, Address: bad, Program: bad,
				Refused: true, Why: bad, Time: now}}, 0)),
		"question": g.Raw(s.row(approval.Envelope{ID: "id", Agent: bad, Payload: []byte(bad)})),
		"proposal": proposal(replay.Proposal{Key: bad, Rule: bad, Examples: []string{bad},
			AtMost: bad, Also: []replay.Example{{Command: bad, Dir: bad}}}),
		"grant": entries(s.grantRows([]approval.Grant{grant}), ""),
		"unneeded": entries(s.unneeded(replay.Unneeded{Registries: []string{bad},
			Rules:  []pathguard.Fitting{{Way: pathguard.Way{Key: bad, Entry: bad}, Source: bad}},
			Grants: []approval.Grant{grant}}), ""),
		"step":    stepRow(undo.Step{Path: bad, Do: undo.Refuse, Why: bad}),
		"run":     s.listed(past.Run{ID: "id", Command: bad, Dir: bad, Agent: bad}),
		"older":   s.olderLink(`"><script>`, bad),
		"choices": lastingFields([]lasting{{"1", worded(bad), []string{bad}}}),
	} {
		var b strings.Builder
		if err := n.Render(&b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "<script") || !strings.Contains(b.String(), "script") {
			t.Errorf("%s: %s", name, b.String())
		}
		if name != "choices" && strings.ContainsAny(b.String(), "\u202e\u200b\x1b") {
			t.Errorf("%s: a character acts: %q", name, b.String())
		}
	}
}
