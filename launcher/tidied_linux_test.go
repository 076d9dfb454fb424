package launcher

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
)

// On a machine in no fleet, what was decided long ago is removed once in a day, after a run and not
// by it.
func TestTidiedOnceInADay(t *testing.T) {
	ctx := context.Background()
	l, _ := world(t)
	l.Codec = audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder}
	now := time.Now()
	l.state.Now = func() time.Time { return now }
	if l.TidyDue() {
		t.Error("there is no store, and it is looked through")
	}
	if err := l.Ready(); err != nil {
		t.Fatal(err)
	}
	var e approval.Envelope
	if err := l.Deciding(func() (events []approval.Event, err error) {
		e, _, err = l.Store.Request(ctx, approval.Request{Session: "s", TTL: time.Minute,
			Payload: plantest.Small(t, nil)})
		return e.Events, err
	}); err != nil {
		t.Fatal(err)
	}
	collect := func(after time.Duration) {
		t.Helper()
		now = now.Add(after)
		due := l.TidyDue()
		if _, err := l.Collect(ctx, audit.Retention{}, "test"); err != nil {
			t.Fatal(err)
		}
		if l.TidyDue() || due != (after >= tidyEvery) {
			t.Errorf("after %v: due before %t, and %t", after, due, l.TidyDue())
		}
	}
	const tidyDays = 8 * tidyEvery
	collect(tidyDays) // it expires
	collect(time.Hour)
	if _, err := l.Store.Get(ctx, e.ID); err != nil {
		t.Errorf("removed too early: %v", err)
	}
	collect(tidyDays)
	if _, err := l.Store.Get(ctx, e.ID); !errors.Is(err, approval.ErrExpired) { // a tombstone
		t.Errorf("it is still there: %v", err)
	}
	expired := 0
	for _, err := range l.Entries(audit.Filter{Kinds: []string{approval.KindExpired}}) {
		if err != nil {
			t.Fatal(err)
		}
		expired++
	}
	if expired != 1 {
		t.Errorf("%d expired by the record", expired)
	}
	now = now.Add(tidyEvery)
	path := l.state.Membership()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
		os.WriteFile(path, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if !l.state.Joined() || l.TidyDue() {
		t.Error("the store of a machine of a fleet is its agent's")
	}
}

const tidyEvery = 24 * time.Hour
