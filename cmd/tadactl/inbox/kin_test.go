package inbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/tada-run/tada-run/approval"
)

// E-deny-3: near-identical questions are shown together, each with its own answer; one denial may
// apply to all of them, an approval never.
func TestBoardGroups(t *testing.T) {
	var list []approval.Envelope
	for i, kin := range []string{"x", "", "x", "x"} {
		e := questionOf(t, 1, fmt.Sprint("rm -rf ", i))
		e.ID, e.Kin, e.Issued = fmt.Sprint("e", i), kin, start.Add(time.Duration(i))
		if i == 3 {
			e.Refused = "e-denied"
		}
		list = append(list, e)
	}
	grouped := func() *scene {
		p := newScene(list[0], 100, 40)
		p.Update(listed{list: approval.Grouped(list)})
		return p
	}
	p := grouped()
	screen := strings.Join(p.rows(), "\n")
	for _, want := range []string{`1 of 3 similar  "rm -rf 0"`, `2 of 3 similar  "rm -rf 2"`,
		`3 of 3 similar  similar one was denied  "rm -rf 3"`, `-  "rm -rf 1"`,
		"N: deny all 3 similar"} {
		if !strings.Contains(screen, want) {
			t.Errorf("no %q in\n%s", want, screen)
		}
	}
	for _, k := range []tea.Key{letter('N'), letter('n'), letter('o')} {
		p.key(3*time.Second, k)
	}
	late := questionOf(t, 1, "rm -rf late")
	late.ID, late.Kin = "late", "x"
	p.Update(listed{list: append(p.list, late)}) // came while the message was typed
	p.key(3*time.Second, enter)
	ids := ""
	for _, d := range p.desk.decided {
		if d.Calls[0].Approved || d.Calls[0].Message != "no" || d.Took != 0 {
			t.Errorf("%+v", d)
		}
		ids += d.Envelope + " "
	}
	if ids != "e0 e2 e3 " || p.note != "denied 3 questions" || p.mode != choosing {
		t.Errorf("denied %q, told %q", ids, p.note)
	}

	p = grouped()
	for _, k := range []tea.Key{letter('N'), {Code: tea.KeyEscape}, letter('Y'), letter('y'), enter,
		letter('y')} {
		p.key(3*time.Second, k)
	}
	if d := p.desk.decided; len(d) != 1 || d[0].Envelope != "e0" || !d[0].Calls[0].Approved {
		t.Errorf("a yes to one is %+v", d)
	}
	p = grouped()
	for _, k := range []tea.Key{{Code: tea.KeyDown}, {Code: tea.KeyDown}, enter} {
		p.key(3*time.Second, k)
	}
	if screen := strings.Join(p.rows(), "\n"); !strings.Contains(screen, "rm -rf 3") ||
		!strings.Contains(screen, "you denied a similar command: tadactl show e-denied") {
		t.Errorf("what it comes after is not told:\n%s", screen)
	}
	p.key(3*time.Second, tea.Key{Code: tea.KeyEscape})
	p.at = start.Add(time.Minute)
	p.key(3*time.Second, tea.Key{Code: tea.KeyDown})
	p.key(3*time.Second, letter('N')) // a question without near-identical ones
	if p.mode != choosing {
		t.Error("it is denied together with nothing")
	}
}

// A denial that the store refuses is reported, and how many succeeded before.
func TestBoardDeniesAsFarAsItGoes(t *testing.T) {
	var list []approval.Envelope
	for i := range 2 {
		e := questionOf(t, 1, "rm")
		e.ID, e.Kin = fmt.Sprint("e", i), "x"
		list = append(list, e)
	}
	p := newScene(list[0], 100, 40)
	p.Update(listed{list: list})
	p.board.desk = &stubborn{p.desk}
	p.key(3*time.Second, letter('N'))
	p.key(3*time.Second, enter)
	if p.note != "denied 1 of 2: the disk is full" {
		t.Errorf("told %q", p.note)
	}
}

// A stubborn desk accepts one answer.
type stubborn struct{ *standIn }

func (s *stubborn) Decide(ctx context.Context, d approval.Decision) error {
	if len(s.decided) == 1 {
		return errors.New("the disk is full")
	}
	return s.standIn.Decide(ctx, d)
}
