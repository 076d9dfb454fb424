package inbox

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/distant"
)

// Questions of other machines are below the own ones, with the name of the machine; what is not
// known is said, and the rest stays.
func TestBoardOfManyMachines(t *testing.T) {
	t.Parallel()
	p := newScene(questionOf(t, 1, "ls here"), 100, 20)
	e := questionOf(t, 2, "ls there")
	q := distant.Question{Question: approval.Question{Audience: "m1", Envelope: "e1",
		Payload: e.Payload, PlanHash: e.PlanHash, Expires: start.Add(time.Hour)},
		Machine: "ci\x1b1", Labels: "env=ci"}
	p.Update(farListed{distant.List{Questions: []distant.Question{q}}})
	text := strings.Join(p.rows(), "\n")
	for _, want := range []string{"2 open", "> R1", "ls here", "  R2", "env=ci", "ls there"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
	p.key(time.Second, letter('j'))
	if p.board.at != "m1/e1" {
		t.Errorf("at %q", p.board.at)
	}
	if _, cmd := p.Update(farListed{distant.List{Away: errors.New("etcd is\ngone")}}); cmd == nil {
		t.Error("it does not listen any more")
	}
	text = strings.Join(p.rows(), "\n")
	if !strings.Contains(text, "other machines: not known now: etcd is") ||
		!strings.Contains(text, "> R1") || strings.Contains(text, "ls there") {
		t.Errorf("%s", text)
	}
	p.Update(listed{away: approval.ErrOffline})
	if text = strings.Join(p.rows(), "\n"); !strings.Contains(text, "not up to date") ||
		!strings.Contains(text, "ls here") {
		t.Errorf("%s", text)
	}
	p.Update(farAnswered{said: "m1/e1: approved"})
	if !strings.Contains(strings.Join(p.rows(), "\n"), "m1/e1: approved") {
		t.Error(p.rows())
	}
}
