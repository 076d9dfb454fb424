package inbox

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// offering is a question that offers two choices, and needs characters.
func offeringQuestion(t *testing.T) *scene {
	e := questionOf(t, 2, "git push origin feature/a")
	var p map[string]any
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		t.Fatal(err)
	}
	var list []any
	for _, word := range []string{"feature/a", "feature/*"} {
		list = append(list, map[string]any{"program": "/usr/bin/git", "dir": "/w",
			"words": []any{"push", "origin", word}, "at_most": "anything like " + word})
	}
	p["lasting"] = list
	payload, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	e.Payload = payload
	return newScene(e, 100, 60)
}

// E-std-2: what is allowed from now on is chosen, shown, and given with the approval; going round
// the choices leaves none.
func TestBoardOffersChoices(t *testing.T) {
	for presses, want := range []int{0, 1, 2, 0, 1} {
		p := offeringQuestion(t)
		p.key(3*time.Second, enter)
		p.at = p.at.Add(3 * time.Second)
		if !strings.Contains(p.help(), "a: always") {
			t.Fatalf("%q", p.help())
		}
		for range presses {
			p.key(3*time.Second, letter('a'))
		}
		text := strings.Join(p.text, "\n")
		if got := strings.Contains(text, "and from now on"); got != (want > 0) ||
			strings.Contains(text, "  git push origin feature/*\n") != (want == 2) {
			t.Errorf("%d times: %s", presses, text)
		}
		p.key(3*time.Second, letter('y'))
		for range p.board.open.Challenge {
			p.key(3*time.Second, letter('K'))
		}
		if p.desk.choice != want || len(p.desk.decided) != 1 || (p.desk.granted > 0) != (want > 0) {
			t.Errorf("%d times: choice %d, %d decided", presses, p.desk.choice, len(p.desk.decided))
		}
		if d := p.desk.decided[0]; d.Challenge == "" || !d.Paged {
			t.Errorf("%+v", d)
		}
	}
	denied := offeringQuestion(t)
	for _, k := range []rune{'a', 'n'} {
		denied.key(3*time.Second, letter(k))
	}
	denied.key(3*time.Second, enter)
	if denied.desk.granted != 0 {
		t.Error("a denial made a grant")
	}
	plain := newScene(questionOf(t, 1, "ls a"), 100, 60)
	plain.key(3*time.Second, enter)
	plain.key(3*time.Second, letter('a'))
	if strings.Contains(plain.help(), "a: always") || plain.choice != 0 {
		t.Errorf("%q", plain.help())
	}
}
