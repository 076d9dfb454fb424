package console

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// What ends after some time does so also while the machine sleeps, when only the wall clock goes
// on.
func TestTimeWhileAsleep(t *testing.T) {
	t.Parallel()
	var list sessions
	now := time.Now()
	s, _, err := list.begin(rand.Reader, now, entrant{})
	if err != nil {
		t.Fatal(err)
	}
	wall := func(at ...time.Time) {
		t.Helper()
		for _, at := range at {
			if at != at.Round(0) {
				t.Errorf("%v is not of the wall clock", at)
			}
		}
	}
	wall(s.began, s.last)
	for _, later := range []time.Duration{time.Second, -time.Hour} {
		list.find(s.path, []string{s.cookie}, now.Add(later))
		wall(s.began, s.last)
	}
	var acts intents
	a := approval.Act{Do: "end", On: "x", Nonce: "00"}
	if err := acts.add(a, now); err != nil {
		t.Fatal(err)
	}
	wall(acts.open["00"].begun)
	stays := func(*intent) bool { return true }
	for after, want := range map[time.Duration]bool{0: true, intentLife - 1: true,
		intentLife: false, -time.Hour: false, -1: false, 8 * time.Hour: false} {
		if err := acts.find(a, now.Add(after), stays); (err == nil) != want {
			t.Errorf("after %v: %v", after, err)
		}
	}
}
