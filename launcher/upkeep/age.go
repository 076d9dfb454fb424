package upkeep

import (
	"fmt"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// leap is how long nothing is recorded if the clock may have been set forward in between: then what
// is from before it may be as young as what is from after it.
const leap = 365 * 24 * time.Hour

// A ClockError refuses to delete by an age that may be wrong.
type ClockError struct{ From, To time.Time }

func (e *ClockError) Error() string {
	day := func(t time.Time) string { return t.Local().Format(time.DateOnly) }
	return fmt.Sprintf("nothing is recorded between %s and %s, so the clock may be wrong, and "+
		"what is older than the limit is not known; to delete what was recorded before a day: "+
		"tadactl gc --older %s", day(e.From), day(e.To), day(e.From))
}

// knowsAge refuses, with a [ClockError], to take what is older than age for old by this clock if
// the log or the time since its end leaps to now.
func (k *Keeper) knowsAge(age time.Duration) error {
	now := k.dir.Now()
	var last time.Time
	for e, err := range k.record.Entries(audit.Filter{}) {
		if err != nil || e.Time.After(now) { // of a clock that was set back since
			continue
		}
		if err := leaps(last, e.Time, now.Add(-age)); err != nil {
			return err
		}
		if e.Time.After(last) {
			last = e.Time
		}
	}
	return leaps(last, now, now.Add(-age))
}

// leaps reports a leap from one moment to the next that makes the first one older than the limit.
func leaps(from, to, limit time.Time) error {
	if from.IsZero() || !from.Before(limit) || to.Sub(from) <= leap {
		return nil
	}
	return &ClockError{from, to}
}
