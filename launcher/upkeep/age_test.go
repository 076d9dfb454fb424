package upkeep

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// Nothing is deleted for an age that a wrong clock says.
func TestAgeByAWrongClock(t *testing.T) {
	for _, c := range []struct {
		name  string
		days  []string // on which something is recorded; the last is today
		doubt bool
	}{
		{"a clock that is right", []string{"2026-01-01", "2026-06-01", "2026-11-30"}, false},
		{"unused for half a year", []string{"2026-01-01", "2026-06-30"}, false},
		{"set forward", []string{"2026-11-29", "2200-01-01"}, true},
		{"set forward, and used since", []string{"2026-11-29", "2200-01-01", "2200-01-02"}, true},
		{"set forward and back again", []string{"2026-11-01", "2200-01-01", "2026-11-30"}, false},
		{"begun at the epoch", []string{"1970-01-01", "2026-11-29", "2026-11-30"}, true},
		{"set back and forward again", []string{"2026-11-01", "1970-01-01", "2026-11-30"}, false},
		{"set back", []string{"2026-11-30", "1970-01-01", "1970-03-01"}, false},
	} {
		home, err := state.OpenHome(filepath.Join(t.TempDir(), "state"))
		if err != nil {
			t.Fatal(err)
		}
		dir := home.Use()
		k := Of(record.Of(dir), dir, nil, Aging{})
		log, err := audit.OpenLog(dir.Audit(), audit.LogOptions{Mark: dir.Mark(),
			Now: func() time.Time { return dir.Now() }, BootID: "test"})
		if err != nil {
			t.Fatal(err)
		}
		for _, day := range c.days {
			at, err := time.Parse(time.DateOnly, day)
			if err != nil {
				t.Fatal(err)
			}
			dir.Now = func() time.Time { return at }
			if _, err := log.Append("test", []byte("{}"), audit.Durable); err != nil {
				t.Fatal(err)
			}
		}
		err = k.knowsAge(30 * 24 * time.Hour)
		if _, doubts := errors.AsType[*ClockError](err); doubts != c.doubt ||
			err != nil && !doubts {
			t.Errorf("%s: %v", c.name, err)
		}
		log.Close()
	}
}
