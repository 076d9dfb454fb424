package push

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A burst is some messages, and one with the number of the rest once there is room for it.
func TestPace(t *testing.T) {
	now := time.Now()
	at := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	var open []Question
	ask := func(n int) {
		for range n {
			id := fmt.Sprintf("q%d", len(open))
			open = append(open, asked(id, "R1 "+id, at(3600)))
		}
	}
	var p pace
	step := func(second int, wantAgain int, want ...string) {
		t.Helper()
		list, again := p.next(at(second), open)
		var texts []string
		for _, m := range list {
			texts = append(texts, m.text)
			if !m.until.Equal(at(3600)) || (m.topic != "") != strings.Contains(m.text, "wait") {
				t.Errorf("%+v", m)
			}
		}
		if strings.Join(texts, ", ") != strings.Join(want, ", ") {
			t.Errorf("second %d: %q, want %q", second, texts, want)
		}
		if wantAgain == 0 != again.IsZero() || wantAgain != 0 && !again.Equal(at(wantAgain)) {
			t.Errorf("second %d: again at %s", second, again.Sub(now))
		}
	}
	step(0, 0)
	ask(1)
	step(0, 0, "R1 q0")
	step(1, 0) // once
	ask(7)
	step(10, 60, "R1 q1", "R1 q2", "R1 q3", "R1 q4")
	step(20, 60)
	open = open[1:] // one was answered
	step(60, 0, "7 questions wait")
	step(61, 0)
	// of those that are held, one is left
	open = nil
	ask(6)
	p = pace{}
	step(100, 160, "R1 q0", "R1 q1", "R1 q2", "R1 q3", "R1 q4")
	step(160, 0, "R1 q5")
	// what was answered or is over is not sent
	open = []Question{asked("over", "R1 over", at(170))}
	step(171, 0)
	ask(20)
	for i := range open {
		open[i].ID += "x"
		open[i].Until = at(3600)
	}
	p = pace{}
	step(200, 260, "R1 over", "R1 q1", "R1 q2", "R1 q3", "R1 q4")
	open = open[:5]
	step(260, 0)
	// the clock was set back
	ask(1)
	step(-1000, 0, "R1 q5")
	// one that is answered at the terminal at once is not sent, and the next one when it is ripe
	open = nil
	ask(2)
	p = pace{settle: 5 * time.Second}
	step(300, 305)
	open = open[1:]
	step(302, 305)
	step(305, 0, "R1 q1")
	step(306, 0)
}
