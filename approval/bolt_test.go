package approval_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// edit changes the database behind the store's back.
func edit(t *testing.T, path string, fn func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
}

func snapshot(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func restore(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// B-T1, B-R1.4.5, B-C3: if any byte of the stored question, plan, state or answer is changed behind
// the store's back, the approval is spent as tampered. There is no permit.
func TestTamper(t *testing.T) {
	t.Parallel()
	s, path := open(t, newClock(), nil)
	e := ask(t, s, plantest.Small(t, nil))
	decide(t, s, yes(e))
	before := snapshot(t, path)
	for _, bucket := range []string{"envelopes", "payloads", "states", "decisions"} {
		var size int
		restore(t, path, before)
		edit(t, path, func(tx *bbolt.Tx) error {
			size = len(tx.Bucket([]byte(bucket)).Get([]byte(e.ID)))
			return nil
		})
		step := max(1, size/40) // each tested byte costs two synced writes
		for i := 0; i < size; i += step {
			restore(t, path, before)
			edit(t, path, func(tx *bbolt.Tx) error {
				b := tx.Bucket([]byte(bucket))
				v := bytes.Clone(b.Get([]byte(e.ID)))
				v[i] ^= 1
				return b.Put([]byte(e.ID), v)
			})
			_, err := s.Consume(ctx,
				approval.Claim{Session: "s1", Envelope: e.ID, PlanHash: e.PlanHash})
			r := wantRefusal(t, err, approval.ErrTampered, approval.OutcomeTampered)
			if len(r.Events) != 1 || r.Events[0].To != approval.Consumed {
				t.Fatalf("%s byte %d: %+v", bucket, i, r.Events)
			}
			if _, err := s.Consume(ctx,
				approval.Claim{Session: "s1", Envelope: e.ID, PlanHash: e.PlanHash}); err == nil {
				t.Fatalf("%s byte %d: a second claim was permitted", bucket, i)
			}
		}
	}
}

// A sealed value moved to another envelope is noticed too: an approval of one does not approve
// another.
func TestTamperMoved(t *testing.T) {
	t.Parallel()
	s, path := open(t, newClock(), nil)
	given := ask(t, s, plantest.Small(t, nil))
	decide(t, s, yes(given))
	wanted := ask(t, s, plantest.Small(t, func(p map[string]any) { p["n"] = 1 }))
	edit(t, path, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("decisions"))
		return b.Put([]byte(wanted.ID), bytes.Clone(b.Get([]byte(given.ID))))
	})
	_, err := s.Consume(ctx, claim(wanted))
	wantRefusal(t, err, approval.ErrTampered, approval.OutcomeTampered)
	if _, err := s.Consume(ctx, claim(given)); err != nil {
		t.Errorf("the one that was given: %v", err)
	}
}

// B-R1.4.5, B-R1.4.6, B-R1.4.7: at the use, the answers are paired with the calls again, and the
// plan that was answered is compared again. Storing an answer that does not match takes the secret
// in the file; it spends the approval.
func TestPairedAtUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		member, value string
		want          error
		outcome       string
	}{
		{"decisions", `[]`, approval.ErrBijection, approval.OutcomeBijection},
		{"decisions", `[{"approved":true,"message":"","tool_call_id":"c1"}]`, approval.ErrBijection,
			approval.OutcomeBijection},
		{"decisions", `[{"approved":true,"message":"","tool_call_id":"c2"},{"approved":true,"message":"","tool_call_id":"c1"}]`, approval.ErrBijection, approval.OutcomeBijection},
		{"decisions", `[{"approved":false,"message":"","tool_call_id":"c1"},{"approved":false,"message":"","tool_call_id":"c2"}]`, approval.ErrBijection, approval.OutcomeBijection},
		{"plan_hash", `"` + strings.Repeat("0", 64) + `"`, approval.ErrMismatch,
			approval.OutcomeMismatch},
	} {
		s, path := open(t, newClock(), nil)
		e := ask(t, s, plantest.Small(t, nil, "c1", "c2"))
		decide(t, s, yes(e))
		edit(t, path, func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("decisions"))
			var answer map[string]json.RawMessage
			if err := json.Unmarshal(b.Get([]byte(e.ID))[32:], &answer); err != nil {
				return err
			}
			answer[c.member] = json.RawMessage(c.value)
			v, err := json.Marshal(answer)
			if err != nil {
				return err
			}
			mac := hmac.New(sha256.New, tx.Bucket([]byte("meta")).Get([]byte("secret")))
			for _, part := range []string{"decisions", e.ID} {
				binary.Write(mac, binary.BigEndian, uint64(len(part)))
				io.WriteString(mac, part)
			}
			mac.Write(v)
			return b.Put([]byte(e.ID), append(mac.Sum(nil), v...))
		})
		_, err := s.Consume(ctx, claim(e))
		wantRefusal(t, err, c.want, c.outcome)
		_, err = s.Consume(ctx, claim(e))
		wantRefusal(t, err, approval.ErrReplayed, approval.OutcomeReplayed)
	}
}

// B-R1.1b, B-R4.1b: neither the files nor the events contain a live nonce, as text or as bytes.
// After the end the event has it, and it matches the hash.
func TestNonceStaysInside(t *testing.T) {
	t.Parallel()
	s, path := open(t, newClock(), nil)
	e := ask(t, s, plantest.Small(t, nil))
	decide(t, s, yes(e))
	live := snapshot(t, path)
	events, err := s.Unlogged(ctx)
	if err != nil {
		t.Fatal(err)
	}
	permit, err := s.Consume(ctx, claim(e))
	if err != nil || len(permit.Events) != 1 {
		t.Fatal(err)
	}
	nonce := permit.Events[0].Nonce
	raw, err := hex.DecodeString(strings.ReplaceAll(nonce, "-", ""))
	if err != nil || len(raw) != 16 || !uuid4.MatchString(nonce) || nonce == e.ID {
		t.Fatalf("nonce %q", nonce)
	}
	for _, form := range [][]byte{raw, []byte(nonce), []byte(hex.EncodeToString(raw))} {
		if bytes.Contains(live, form) {
			t.Errorf("the database of a live nonce holds it as %q", form)
		}
	}
	for _, ev := range events {
		if bytes.Contains(ev.Body(), []byte(nonce)) {
			t.Errorf("an event tells a live nonce: %s", ev.Body())
		}
	}
	if want := plan.Hash([]byte(nonce)); permit.Events[0].NonceHash != want ||
		events[0].NonceHash != want {
		t.Errorf("nonce hash %q, want %q", permit.Events[0].NonceHash, want)
	}
}

// The files are created with mode 0600, and refused if others can read or write them or own them.
func TestFiles(t *testing.T) {
	t.Parallel()
	s, path := open(t, newClock(), nil)
	e := ask(t, s, plantest.Small(t, nil))
	for _, p := range []string{path, path + ".lock"} {
		info, err := os.Stat(p)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		for _, mode := range []os.FileMode{0o640, 0o620, 0o604, 0o602} {
			if err := os.Chmod(p, mode); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Get(ctx, e.ID); !errors.Is(err, approval.ErrMeddled) ||
				!strings.Contains(err.Error(), p) {
				t.Errorf("mode %v: %v", mode, err)
			}
			if _, err := s.Consume(ctx, claim(e)); !errors.Is(err, approval.ErrMeddled) {
				t.Errorf("mode %v: %v", mode, err)
			}
		}
		if err := os.Chmod(p, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, mode := range []os.FileMode{0o770, 0o702} {
		if err := os.Chmod(filepath.Dir(path), mode); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(ctx, e.ID); !errors.Is(err, approval.ErrMeddled) {
			t.Errorf("folder with mode %v: %v", mode, err)
		}
	}
	if err := os.Chmod(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".real"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path+".real", path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(ctx, e.ID); !errors.Is(err, approval.ErrMeddled) {
		t.Errorf("symbolic link: %v", err)
	}
	if os.Geteuid() == 0 { // only root can give a file away
		os.Remove(path)
		os.Rename(path+".real", path)
		if err := os.Chown(path, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(ctx, e.ID); !errors.Is(err, approval.ErrMeddled) ||
			!strings.Contains(err.Error(), "12345") {
			t.Errorf("another's file: %v", err)
		}
	}
}

// A store that cannot be read permits nothing, changes nothing and names the file.
func TestBadDatabase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		want  error
		spoil func(t *testing.T, path string)
	}{
		{"missing", approval.ErrMissing, func(t *testing.T, path string) { os.Remove(path) }},
		{"empty", approval.ErrCorrupt, func(t *testing.T, path string) { restore(t, path, nil) }},
		{"no database", approval.ErrCorrupt, func(t *testing.T, path string) {
			restore(t, path, bytes.Repeat([]byte("not a database\n"), 4096))
		}},
		{"cut to a page", approval.ErrCorrupt,
			func(t *testing.T, path string) { os.Truncate(path, 4096) }},
		{"cut in the middle", approval.ErrCorrupt,
			func(t *testing.T, path string) { os.Truncate(path, 4*4096) }},
		{"pages of zeros", approval.ErrCorrupt, func(t *testing.T, path string) {
			b := snapshot(t, path)
			clear(b[2*4096:])
			restore(t, path, b)
		}},
		{"pages of ones", approval.ErrCorrupt, func(t *testing.T, path string) {
			b := snapshot(t, path)
			for i := range b[2*4096:] {
				b[2*4096+i] = 0xff
			}
			restore(t, path, b)
		}},
		{"bucket gone", approval.ErrCorrupt, func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("states")) })
		}},
		{"secret gone", approval.ErrCorrupt, func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("meta")).Delete([]byte("secret")) })
		}},
		{"another program's", approval.ErrCorrupt, func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("meta")) })
		}},
		{"from the future", approval.ErrFuture, func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("meta")).Put([]byte("schema"), []byte("3")) })
		}},
		{"from the far future", approval.ErrFuture, func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("meta")).Put([]byte("schema"), []byte("10")) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, path := open(t, newClock(), nil)
			e := ask(t, s, plantest.Small(t, nil))
			decide(t, s, yes(e))
			c.spoil(t, path)
			spoiled, _ := os.ReadFile(path)
			_, err := s.Consume(ctx, claim(e))
			var file *approval.FileError
			if !errors.Is(err, c.want) || !errors.As(err, &file) || file.Hint == "" ||
				strings.Contains(err.Error(), "runtime error") {
				t.Errorf("Consume: %v", err)
			}
			if _, _, err := s.Request(ctx,
				approval.Request{Session: "s1", Payload: e.Payload}); !errors.Is(err, c.want) {
				t.Errorf("Request: %v", err)
			}
			if _, err := s.Get(ctx, e.ID); !errors.Is(err, c.want) {
				t.Errorf("Get: %v", err)
			}
			if _, err := bolt.Open(path,
				approval.Options{Clock: newClock().read, Rand: rand.Reader}); !errors.Is(err,
				c.want) {
				t.Errorf("Open: %v", err)
			}
			if now, _ := os.ReadFile(path); !bytes.Equal(now, spoiled) {
				t.Error("the damaged file was written to")
			}
		})
	}
}

// The error of a lost database names the remedy, which keeps what was used; removing the lock file
// as well starts afresh.
func TestStartAfresh(t *testing.T) {
	t.Parallel()
	s, path := open(t, newClock(), nil)
	e := ask(t, s, plantest.Small(t, nil))
	os.Remove(path)
	if _, err := s.Get(ctx, e.ID); !errors.Is(err, approval.ErrMissing) ||
		!strings.Contains(err.Error(), "tadactl approvals rebuild") {
		t.Fatal(err)
	}
	os.Remove(path + ".lock")
	if _, err := s.Get(ctx, e.ID); !errors.Is(err, approval.ErrUnknown) {
		t.Error(err)
	}
	ask(t, s, plantest.Small(t, nil))
}

// A half-made database of a process that died does not count as a database.
func TestHalfMade(t *testing.T) {
	t.Parallel()
	s, path := open(t, newClock(), nil)
	restore(t, path+".new", []byte("half a page"))
	ask(t, s, plantest.Small(t, nil))
}

// A lock that is never released ends in an error after LockWait, or with the caller's context; the
// next process gets it as soon as it is free.
func TestLocked(t *testing.T) {
	t.Parallel()
	s, path := open(t, newClock(), func(o *approval.Options) { o.LockWait = 30 * time.Millisecond })
	e := ask(t, s, plantest.Small(t, nil))
	f, err := os.OpenFile(path+".lock", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Consume(ctx, claim(e)); !errors.Is(err, approval.ErrLocked) ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("held for ever: %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Get(gone, e.ID); !errors.Is(err, context.Canceled) {
		t.Errorf("caller gave up: %v", err)
	}
	f.Close()
	// A process that another test has just started has the lock until it executes its program.
	_, err = s.Get(ctx, e.ID)
	for errors.Is(err, approval.ErrLocked) && t.Context().Err() == nil {
		_, err = s.Get(ctx, e.ID)
	}
	if err != nil {
		t.Errorf("given back: %v", err)
	}
}

// A program that opens the database without our lock keeps us out, and only for a while.
func TestForeignLock(t *testing.T) {
	t.Parallel()
	s, path := open(t, newClock(), nil)
	e := ask(t, s, plantest.Small(t, nil))
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(ctx, e.ID); !errors.Is(err, approval.ErrLocked) {
		t.Errorf("got %v", err)
	}
	db.Close()
	if _, err := s.Get(ctx, e.ID); err != nil {
		t.Error(err)
	}
}

// untilAwaited returns when a process waits for the lock on f (proc_locks(5)).
func untilAwaited(t *testing.T, f *os.File) {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	awaited := regexp.MustCompile(fmt.Sprintf(`(?m)-> FLOCK .*:%d `, st.Ino))
	for {
		locks, err := os.ReadFile("/proc/locks")
		if err != nil {
			t.Fatal(err)
		}
		if awaited.Match(locks) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// The time of the check is the time inside the transaction: it sees a clock that jumps during the
// wait for the lock. B-R3.2.
func TestClockIsReadUnderTheLock(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, path := open(t, c, nil)
	e := ask(t, s, plantest.Small(t, nil))
	decide(t, s, yes(e))
	f, err := os.OpenFile(path+".lock", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	got := make(chan error)
	go func() {
		_, err := s.Consume(ctx, claim(e))
		got <- err
	}()
	untilAwaited(t, f)
	c.advance(time.Hour) // the store reads the clock only after the lock below is given back
	f.Close()
	wantRefusal(t, <-got, approval.ErrExpired, approval.OutcomeExpired)
}

// BenchmarkAnswer is how long it takes until a waiting run has its answer, including the time to
// write it.
func BenchmarkAnswer(b *testing.B) {
	s, _ := open(b, newClock(), func(o *approval.Options) {
		o.MaxPending, o.MaxHour = 1<<30, 1<<30
	})
	for b.Loop() {
		b.StopTimer()
		e := ask(b, s, plantest.Small(b, nil))
		heard := make(chan error)
		go func() {
			_, err := s.Wait(ctx, e.ID)
			heard <- err
		}()
		time.Sleep(2 * time.Millisecond)
		b.StartTimer()
		decide(b, s, yes(e))
		if err := <-heard; err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if _, err := s.Cancel(ctx, e.ID, ""); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkOpen is what every start of a launcher pays, whether it asks or not.
func BenchmarkOpen(b *testing.B) {
	s, path := open(b, newClock(), nil)
	ask(b, s, plantest.Small(b, nil))
	for b.Loop() {
		if _, err := bolt.Open(path,
			approval.Options{Clock: newClock().read, Rand: rand.Reader}); err != nil {
			b.Fatal(err)
		}
	}
}
