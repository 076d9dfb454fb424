package undo

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// child is what the other process does: a run of random changes, or an undo.
func child(job string, args []string) error {
	dir := args[0]
	store, err := Open(filepath.Join(dir, "store"), options)
	if err != nil {
		return err
	}
	tree := filepath.Join(dir, "tree")
	switch job {
	case "run":
		seed, err := strconv.ParseUint(args[1], 10, 64)
		if err != nil {
			return err
		}
		j, err := store.Begin(Start{Run: "run", Trees: []string{tree}})
		if err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(seed, 2))
		fmt.Println("begins")
		h := &hand{j: j}
		for range 60 {
			h.random(r, tree)
		}
		_, err = j.Close(End{})
		return err
	case "undo":
		fmt.Println("begins")
		_, err := store.Undo(Take{Runs: []string{"run"}}, args[1])
		return err
	case "full":
		return fullDisk(dir)
	case "others":
		return othersFiles(dir)
	case "mounts":
		return otherMounts(dir)
	}
	return fmt.Errorf("no job %q", job)
}

// inChild is the test in that process: a failure ends it, with its words on standard error.
type inChild struct{ testing.TB }

func (inChild) Helper()        {}
func (inChild) Cleanup(func()) {}

func (inChild) Error(words ...any) { inChild{}.Fatal(words...) }

func (inChild) Fatal(words ...any) {
	fmt.Fprintln(os.Stderr, words...)
	os.Exit(1)
}

func again(t *testing.T, job string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "UNDO_TEST_JOB="+job)
	cmd.Stderr = os.Stderr
	return cmd
}

// killed starts a job and kills it at a random moment of the time that such a job took before.
func killed(t *testing.T, r *rand.Rand, took time.Duration, job string, args ...string) {
	t.Helper()
	cmd := again(t, job, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Duration(r.Int64N(int64(took))))
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// TestKilled: a run and its undo are killed at random moments. The journal reads, and another undo
// brings back the tree as it was.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 3))
	for seed := range uint64(hermetic.Rounds(60)) {
		sub := filepath.Join(dir, fmt.Sprint(seed))
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, sub)
		w.furnish(rand.New(rand.NewPCG(seed, 1)))
		before := w.digest()
		nextTick()
		killed(t, r, 8*time.Millisecond, "run", sub, fmt.Sprint(seed))
		if _, err := w.store.Read("run"); err == ErrUnknownRun {
			if now := w.digest(); now != before {
				t.Fatalf("seed %d: changed without a journal:\n%s", seed, difference(before, now))
			}
			continue
		} else if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for n := range 3 {
			killed(t, r, 4*time.Millisecond, "undo", sub, fmt.Sprint("undo", n))
		}
		plan, err := w.store.Plan(Take{Runs: []string{"run"}})
		if now := w.digest(); err != nil || now != before && len(plan) == 0 {
			t.Fatalf("seed %d: nothing is planned, %v:\n%s", seed, err, difference(before, now))
		}
		result := w.undo("last", "run")
		if now := w.digest(); now != before || result.Refused > 0 {
			t.Fatalf("seed %d: after the last undo:\n%s\n%q\n%s", seed,
				difference(before, now), result.Steps, w.kept())
		}
		removeAll(sub)
	}
}

// What changed while a killed run may have gone on is its own, and what an undo of it did at any
// later time is no later change.
func TestInTime(t *testing.T) {
	undone := &Run{book: &book{head: head{start: 400e9}}, last: 500e9}
	r := &restorer{run: &Run{book: &book{head: head{start: 10e9}}, last: 100e9},
		past: &past{runs: []*Run{{book: &book{head: head{start: 200e9}}}, undone}}}
	for at, want := range map[int64]bool{50e9: true, 101e9: true, 103e9: false, 201e9: false,
		399e9: false, 400e9: true, 501e9: true, 503e9: false, 900e9: false} {
		if got := r.inTime(State{Changed: at}); got != want {
			t.Errorf("%d: %v", at, got)
		}
	}
	r.u = &Journal{book: book{head: head{start: 800e9}}}
	if !r.inTime(State{Changed: 900e9}) || r.inTime(State{Changed: 700e9}) {
		t.Error("what this undo does is not its own")
	}
	r.scene = newScene(r.run.book, renewals{})
	for born, want := range map[int64]bool{5e9: false, 50e9: true, 101e9: true, 103e9: false} {
		s := State{ID: ID{Birth: born}, Mode: 0o040755, Changed: 300e9}
		if r.knows(s) != want {
			t.Errorf("a folder that was made at %d: %v", born, !want)
		}
	}
}
