package launcher

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/state"
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
	e := aQuestion(t, l)
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
	collect(0)
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

// aQuestion stores one that is good for a minute.
func aQuestion(t *testing.T, l *Launcher) (e approval.Envelope) {
	t.Helper()
	if err := l.Ready(); err != nil {
		t.Fatal(err)
	}
	if err := l.Deciding(func() (events []approval.Event, err error) {
		e, _, err = l.Store.Request(context.Background(), approval.Request{Session: "s",
			TTL: time.Minute, Payload: plantest.Small(t, nil)})
		return e.Events, err
	}); err != nil {
		t.Fatal(err)
	}
	return e
}

// The program beside this one is started for that by chance, and only while it is due.
func TestTidyingIsStarted(t *testing.T) {
	if dir := os.Getenv("TEST_TIDIED"); dir != "" {
		l, err := own(dir).Open()
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 2; {
			id, err := state.NewID(time.Now(), rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			if state.Chance(id, packOften) {
				n++
			}
			l.packIfMany(id)
		}
		return
	}
	l, _ := world(t)
	aQuestion(t, l)
	if l.TidyDue() {
		t.Error("a store of this day is due")
	}
	l.state.Now = func() time.Time { return time.Now().Add(-2 * tidyEvery) }
	if err := os.Remove(filepath.Join(l.state.Runtime(), "tidied")); err != nil {
		t.Fatal(err)
	}
	if l.TidyDue() {
		t.Error("a store of that day was due on it")
	}
	l.state.Now = time.Now
	dir := t.TempDir()
	self, called := filepath.Join(dir, "self"), filepath.Join(dir, "called")
	exe, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = errors.Join(hermetic.WriteProgram(self, exe, 0o700),
			hermetic.WriteProgram(filepath.Join(dir, "tadactl"),
				[]byte("#!/bin/sh\necho $3 >>"+called+"\n"), 0o700))
	}
	if err != nil {
		t.Fatal(err)
	}
	starts := func(want string) {
		t.Helper()
		cmd := exec.Command(self, "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "TEST_TIDIED="+l.state.Dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		text := ""
		for tries := 0; tries < 500 && len(text) < len(want); tries++ {
			time.Sleep(10 * time.Millisecond)
			b, _ := os.ReadFile(called)
			text = string(b)
		}
		if text != want {
			t.Errorf("%q was started, want %q", text, want)
		}
	}
	starts("gc\ngc\n")
	if err := l.TidyIfDue(context.Background()); err != nil {
		t.Fatal(err)
	}
	starts("gc\ngc\n")
	time.Sleep(200 * time.Millisecond) // one that was started nevertheless would be slower
	starts("gc\ngc\n")
}
