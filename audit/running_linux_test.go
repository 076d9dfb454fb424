package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// A run that begins at any moment of another process's scan for dead runs, and outlives it, is not
// reported lost, keeps its place, and leaves a complete record.
func TestBeginAtEachMomentOfAScan(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"draft", "draft locked", "linked", "begun"} {
		for _, scan := range []string{"found", "dead", "never"} {
			t.Run(begin+", "+scan, func(t *testing.T) {
				t.Parallel()
				dir := fill(t, 1)
				ours, theirs := openNow(t, dir), openNow(t, dir)
				stopped, resume, over := make(chan struct{}), make(chan struct{}),
					make(chan struct{})
				var stop sync.Once
				theirs.step = func(s string) {
					if s == scan {
						stop.Do(func() { close(stopped); <-resume })
					}
				}
				var lost []string
				look := func() {
					defer close(over)
					var err error
					if lost, err = theirs.Orphans(); err != nil {
						t.Error(err)
					}
				}
				var once sync.Once
				ours.step = func(s string) {
					if s == begin {
						once.Do(func() {
							go look()
							select {
							case <-stopped:
							case <-over:
							}
						})
					}
				}
				r, err := ours.Begin("run")
				must(t, err)
				mustAppend(t, ours, KindIntent, `{"sid":"run","verdict":"allow"}`)
				mustAppend(t, ours, KindStart, `{"authority":"policy","sid":"run"}`)
				close(resume)
				<-over
				if len(lost) != 0 || !Alive(dir)("run") {
					t.Errorf("told to be lost: %v; has its place: %t", lost, Alive(dir)("run"))
				}
				mustAppend(t, ours, KindEnd, `{"sid":"run"}`)
				must(t, r.End())
				if _, err := Verify(dir, VerifyOptions{Complete: true}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// If a process is killed at any moment of Begin, or of the scan for dead runs, the next scan clears
// what it left, and nothing is recorded twice.
func TestKilledAtEachMomentOfARun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		job, step string
		lost      int // that the next scan reports
	}{
		{"begin", "draft", 0}, {"begin", "draft locked", 0}, {"begin", "linked", 0},
		{"begin", "begun", 0},
		{"scan", "found", 1}, {"scan", "dead", 1}, {"scan", "locked", 1}, {"scan", "write", 1},
		{"scan", "written", 0}, {"scan", "anchored", 0}, {"scan", "told", 0},
	} {
		t.Run(c.job+", "+c.step, func(t *testing.T) {
			t.Parallel()
			dir := fill(t, 1)
			if c.job == "scan" {
				if err := run(t, "run", dir, "started").Run(); !killed(err) {
					t.Fatal(err)
				}
			}
			if err := run(t, c.job, dir, c.step).Run(); !killed(err) {
				t.Fatal(err)
			}
			list, err := openNow(t, dir).Orphans()
			if err != nil || len(list) != c.lost {
				t.Errorf("lost %v, %v; want %d", list, err, c.lost)
			}
			if left, _ := os.ReadDir(filepath.Join(dir, runningName)); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
			told := 0
			for _, err := range Entries(dir, Filter{Kinds: []string{KindOrphan}}) {
				must(t, err)
				told++
			}
			if want := map[string]int{"scan": 1}[c.job]; told != want {
				t.Errorf("told %d times, want %d", told, want)
			}
		})
	}
}

// manyRuns is the number of runs that TestRunsOfManyProcesses makes: make stress makes more.
func manyRuns() int {
	if n, err := strconv.Atoi(os.Getenv("TEST_STRESS_RUNS")); err == nil {
		return n
	}
	return 800
}

// The ends of honest runs of 16 processes at once, each of which first looks for dead ones, are all
// recorded.
func TestRunsOfManyProcesses(t *testing.T) {
	t.Parallel()
	const processes = 16
	each := manyRuns() / processes
	dir := fill(t, 1)
	began := time.Now()
	var all sync.WaitGroup
	for w := range processes {
		c := run(t, "runs", dir, strconv.Itoa(w), strconv.Itoa(each))
		all.Go(func() {
			if err := c.Run(); err != nil {
				t.Errorf("process %d: %v", w, err)
			}
		})
	}
	all.Wait()
	r, err := Verify(dir, VerifyOptions{Complete: true})
	if err != nil || r.Runs != processes*each || r.Entries != int64(1+3*processes*each) {
		t.Errorf("%d runs, %d entries, %v; want %d runs", r.Runs, r.Entries, err, processes*each)
	}
	for e, err := range Entries(dir, Filter{Kinds: []string{KindOrphan}}) {
		must(t, err)
		t.Errorf("told to be lost: %s", e.Body)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, runningName)); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	t.Logf("%d runs in %v", r.Runs, time.Since(began).Round(time.Millisecond))
}

// manyChild makes honest runs, each with a log of its own, like separate processes.
func manyChild(dir, name string, each int) error {
	for i := range each {
		if err := oneRun(dir, fmt.Sprintf("run-%s-%d", name, i)); err != nil {
			return err
		}
	}
	return nil
}

func oneRun(dir, sid string) error {
	l, err := OpenLog(dir, LogOptions{Now: time.Now, BootID: testBoot, MinFree: 1,
		Wait: time.Minute})
	if err != nil {
		return err
	}
	defer l.Close()
	if _, err := l.Orphans(); err != nil {
		return err
	}
	r, err := l.Begin(sid)
	if err != nil {
		return err
	}
	for _, e := range []struct{ kind, body string }{
		{KindIntent, `{"sid":"` + sid + `","verdict":"allow"}`},
		{KindStart, `{"authority":"policy","sid":"` + sid + `"}`},
		{KindEnd, `{"sid":"` + sid + `"}`},
	} {
		if _, err := l.Append(e.kind, []byte(e.body), Lazy); err != nil {
			return err
		}
	}
	return r.End()
}

// An earlier log, in which a live run was reported lost, verifies, and the run is named; anything
// that this mistake cannot have left is refused.
func TestRunsReportedLostByMistake(t *testing.T) {
	t.Parallel()
	dir := fill(t, 1)
	l := openNow(t, dir)
	for _, e := range []struct{ kind, body string }{
		{KindIntent, `{"sid":"a","verdict":"allow"}`},
		{KindIntent, `{"sid":"b","verdict":"allow"}`},
		{KindOrphan, `{"sid":"a","started":false}`},
		{KindStart, `{"authority":"policy","sid":"a"}`},
		{KindOrphan, `{"sid":"b","started":false}`}, {KindEnd, `{"sid":"a"}`},
	} {
		mustAppend(t, l, e.kind, e.body)
	}
	if r, err := Verify(dir, VerifyOptions{Complete: true}); err != nil || r.Runs != 2 ||
		len(r.Revived) != 1 || r.Revived[0] != "a" {
		t.Errorf("%d runs, went on %v, %v", r.Runs, r.Revived, err)
	}
}

// A run that ends between the moment whose log is verified and the question whether it runs is
// complete.
func TestCompleteWhileARunEnds(t *testing.T) {
	t.Parallel()
	dir := fill(t, 1)
	l := openNow(t, dir)
	r, err := l.Begin("ends")
	must(t, err)
	mustAppend(t, l, KindIntent, `{"sid":"ends","verdict":"allow"}`)
	mustAppend(t, l, KindStart, `{"authority":"policy","sid":"ends"}`)
	alive := Alive(dir)
	running := func(sid string) bool {
		mustAppend(t, l, KindEnd, `{"sid":"ends"}`)
		must(t, r.End())
		return alive(sid)
	}
	_, err = Verify(dir, VerifyOptions{Complete: true, Meanwhile: Meanwhile{Running: running}})
	if err != nil {
		t.Error(err)
	}
}
