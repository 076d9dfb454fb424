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

// tries are the times of the attempts that failed.
type tries struct {
	mu   sync.Mutex
	when []time.Time
}

// left reports whether another attempt may be made.
func (t *tries) left(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, at := range t.when {
		if at.After(now) { // the clock was set back
			t.when[i] = now
		}
	}
	t.when = slices.DeleteFunc(t.when, func(at time.Time) bool { return now.Sub(at) > triesLife })
	return len(t.when) < mostTries
}

func (t *tries) failed(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.when = append(t.when, now)
}
