package console

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// What does not pass is recorded. Not more often than that, so that nobody fills the record.
const (
	mostTries = 20
	triesLife = 10 * time.Minute
)

var errTries = errors.New("too many attempts failed; wait some minutes, or answer at the terminal")

// tries are the attempts of a session: the times of those that failed, and how many are under way.
type tries struct {
	mu   sync.Mutex
	when []time.Time
	open int
}

// begin takes the place of an attempt, and reports whether there was one. Those that are under way
// count too, so that it is no use to make many at once.
func (t *tries) begin(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, at := range t.when {
		if at.After(now) { // the clock was set back
			t.when[i] = now
		}
	}
	t.when = slices.DeleteFunc(t.when, func(at time.Time) bool { return now.Sub(at) > triesLife })
	if len(t.when)+t.open >= mostTries {
		return false
	}
	t.open++
	return true
}

// end gives the place back, unless the attempt failed.
func (t *tries) end(now time.Time, failed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open--
	if failed {
		t.when = append(t.when, now)
	}
}
