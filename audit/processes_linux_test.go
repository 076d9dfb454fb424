package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// B-R4.6b, B-T6: 64 processes at once make one linear chain, and every entry that was reported as
// written is in the log, once, in its order.
func TestManyProcesses(t *testing.T) {
	t.Parallel()
	const processes = 64
	each := 1000
	if s := os.Getenv("AUDIT_TEST_EACH"); s != "" {
		each, _ = strconv.Atoi(s)
	}
	if testing.Short() {
		each = 20
	}
	dir := filepath.Join(t.TempDir(), "audit")
	var all sync.WaitGroup
	for w := range processes {
		c := run(t, "many", dir, strconv.Itoa(w), strconv.Itoa(each))
		all.Go(func() {
			if err := c.Run(); err != nil {
				t.Errorf("process %d: %v", w, err)
			}
		})
	}
	all.Wait()
	r := mustVerify(t, dir)
	if r.Entries != int64(processes*each) || len(r.Gaps) != 0 || r.NotAnchored != 0 {
		t.Fatalf("%d entries, gaps %v, %d not anchored", r.Entries, r.Gaps, r.NotAnchored)
	}
	next := make([]int, processes)
	for e, err := range Entries(dir, Filter{}) {
		must(t, err)
		var i, w int
		if _, err := fmt.Sscanf(string(e.Body), `{"i":%d,"w":%d}`, &i, &w); err != nil ||
			next[w] != i {
			t.Fatalf("entry %d is %s, want number %d of its process", e.Seq, e.Body, next[w])
		}
		next[w]++
	}
}

// A log that is being appended to verifies at every moment.
func TestVerifyWhileAppending(t *testing.T) {
	dir := fill(t, 1)
	var all sync.WaitGroup
	for w := range 4 {
		c := run(t, "many", dir, strconv.Itoa(w), "300")
		all.Go(func() {
			if err := c.Run(); err != nil {
				t.Errorf("process %d: %v", w, err)
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for n := int64(0); ; {
		r := mustVerify(t, dir)
		if r.Torn != 0 || r.NotAnchored != 0 || r.Entries < n {
			t.Fatalf("after %d entries: %+v", n, r)
		}
		n = r.Entries
		select {
		case <-done:
			if r := mustVerify(t, dir); r.Entries < 1201 {
				t.Errorf("%d entries", r.Entries)
			}
			return
		default:
		}
	}
}

// A stopped process that holds the lock does not block the others forever.
func TestLockIsBusy(t *testing.T) {
	dir := fill(t, 1)
	held, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
	must(t, err)
	must(t, unix.Flock(int(held.Fd()), unix.LOCK_EX))
	l := openTestWait(t, dir, held)
	if _, err := l.Append("k", []byte(`{}`), Lazy); !errors.Is(err, ErrBusy) {
		t.Errorf("append under a held lock: %v", err)
	}
	held.Close()
	mustAppend(t, l, "k", `{}`)
	mustVerify(t, dir)
}

func openTestWait(t *testing.T, dir string, held *os.File) *Log {
	t.Helper()
	must(t, unix.Flock(int(held.Fd()), unix.LOCK_UN))
	l, err := OpenLog(dir, LogOptions{Now: tick(), BootID: testBoot, Wait: 20 * time.Millisecond})
	must(t, err)
	t.Cleanup(func() { l.Close() })
	must(t, unix.Flock(int(held.Fd()), unix.LOCK_EX))
	return l
}

// Durable entries of several processes share one fdatasync.
func TestGroupCommit(t *testing.T) {
	dir := fill(t, 1)
	var mu sync.Mutex
	var stores []string
	var all sync.WaitGroup
	for range 8 {
		l := openTest(t, dir)
		l.step = func(s string) {
			if s == "synced" {
				mu.Lock()
				stores = append(stores, s)
				mu.Unlock()
			}
		}
		all.Go(func() {
			for range 20 {
				if _, err := l.Append("k", []byte(`{}`), Durable); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	raw := readAll(t, filepath.Join(dir, anchorName))
	a, ok := parseAnchor(raw, nil)
	if !ok || a.Synced != a.Size || a.Count != 161 || len(stores) > 160 {
		t.Errorf("anchor %+v after %d stores", a, len(stores))
	}
	t.Logf("160 durable entries, %d stores", len(stores))
	if !slices.Contains(stores, "synced") {
		t.Error("nothing was stored")
	}
}
