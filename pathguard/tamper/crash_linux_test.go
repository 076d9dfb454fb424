package tamper

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// The test binary is also the process that works on a store, and dies.
func TestMain(m *testing.M) {
	if job := os.Getenv("TAMPER_TEST_JOB"); job != "" {
		if err := child(job, os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(hermetic.Tests(m).Run())
}

func again(t *testing.T, job string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "TAMPER_TEST_JOB="+job)
	cmd.Stderr = os.Stderr
	return cmd
}

func at(root, dir string) *Store {
	return Open(dir, Options{Root: root, Patterns: []string{"*.md"}, Now: time.Now, Export: true,
		Alive: func(owner string) bool {
			var pid int
			fmt.Sscan(owner, &pid)
			return syscall.Kill(pid, 0) == nil
		}})
}

func child(job, root, dir string) error {
	s := at(root, dir)
	me := fmt.Sprint(os.Getpid())
	a, b := filepath.Join(root, "a.md"), filepath.Join(root, "b.md")
	run := func(id string, do func() error) error {
		if err := s.Begin(id, me, []string{a}); err != nil {
			return err
		}
		if err := do(); err != nil {
			return err
		}
		_, err := s.UpdateIntegrity(Who{}, id)
		return err
	}
	appendTo := func(text string) error {
		f, err := os.OpenFile(a, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		return errors.Join(err, f.Close())
	}
	step, stop, found := strings.Cut(job, ":")
	if found { // dying at one step
		n := 0
		s.step = func(at string) error {
			if n++; at == stop || stop == fmt.Sprint(n) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			return nil
		}
	}
	accept := func() error {
		if _, err := s.Show(Who{}, b); err != nil {
			return err
		}
		_, err := s.Accept(Who{}, b, "", "mine")
		return err
	}
	restore := func() error { _, err := s.Restore(Who{}, b); return err }
	pass := func() error {
		r, err := s.VerifyIntegrity(Who{})
		if err == nil {
			_, err = s.Pass(Who{}, r.Findings)
		}
		return err
	}
	jobs := map[string]func() error{
		"append": func() error { return run(me, func() error { return appendTo(me + "\n") }) },
		"write": func() error {
			return run(me, func() error { return placeIf(always, a, []byte("written\n"), 0o644) })
		},
		"save":   func() error { return s.Save(Who{}, a, "*.md", []byte("saved\n"), 0o644) },
		"accept": accept, "restore": restore, "pass": pass,
		"all": func() error {
			fmt.Println("begins")
			for i := 0; ; i++ {
				text := fmt.Sprintln(i, strings.Repeat("x", i%5000))
				err := run(fmt.Sprint(me, i), func() error { return appendTo(text) })
				err = errors.Join(err,
					run(fmt.Sprint(me, "w", i),
						func() error { return placeIf(always, a, []byte(text), 0o644) }))
				if err = errors.Join(err,
					s.Save(Who{}, a, "*.md", []byte(text), 0o644)); err != nil {
					return err
				}
			}
		},
	}
	return jobs[step]()
}

// sound checks what must hold at any moment: every baseline has the copy that it names.
func sound(t *testing.T, s *Store) {
	t.Helper()
	text, err := os.ReadFile(s.manifestPath())
	must(t, err)
	m, err := decode(text)
	must(t, err)
	for path, rec := range m.records {
		if rec.Form != Regular {
			continue
		}
		content, err := s.blob(rec.Raw)
		if err != nil || hexSum(content) != rec.Raw ||
			rec.Text != "" && CalculateChecksum(path, content) != rec.Text {
			t.Fatalf("the baseline of %s has no copy: %v", path, err)
		}
	}
}

func stage(t *testing.T) (root, dir string, s *Store) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root, dir = filepath.Join(base, "ws"), filepath.Join(base, "shadow")
	must(t, os.Mkdir(root, 0o755))
	must(t, os.WriteFile(filepath.Join(root, "a.md"), []byte("a\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(root, "b.md"), []byte("b\n"), 0o644))
	s = at(root, dir)
	_, err = s.VerifyIntegrity(Who{})
	must(t, err)
	return root, dir, s
}

func kindsOf(t *testing.T, s *Store) string {
	t.Helper()
	r, err := s.VerifyIntegrity(Who{})
	must(t, err)
	var out []string
	for _, f := range r.Findings {
		out = append(out, filepath.Base(f.Path)+" "+string(f.Kind))
	}
	return strings.Join(out, ", ")
}

// killed at 200 random moments of writing, the store never raises a false alarm,
// never loses a true one, and every baseline has its copy.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	root, dir, s := stage(t)
	must(t, os.WriteFile(filepath.Join(root, "b.md"), []byte("from outside\n"), 0o644))
	r := rand.New(rand.NewPCG(3, 4))
	events := func() uint64 {
		m, err := s.load()
		must(t, err)
		return m.seq
	}
	kills, enough := 200, uint64(50)
	if testing.Short() {
		kills, enough = 30, 8
	}
	for i := 0; i < kills || i < 10*kills && events() < enough; i++ {
		// on a busy machine many die before they do anything
		cmd := again(t, "all", root, dir)
		begins, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		_, err = begins.Read(make([]byte, 1)) // a busy machine takes its time to start a process
		must(t, err)
		time.Sleep(time.Duration(r.IntN(12_000)) * time.Microsecond)
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		sound(t, s)
		if got := kindsOf(t, s); got != "b.md changed" {
			t.Fatalf("kill %d: found %q", i, got)
		}
		sound(t, s)
		if i%20 == 0 { // and what happens then is seen
			was, err := os.ReadFile(filepath.Join(root, "a.md"))
			must(t, err)
			must(t, os.WriteFile(filepath.Join(root, "a.md"), []byte("from outside\n"), 0o644))
			if got := kindsOf(t, s); got != "a.md changed, b.md changed" {
				t.Fatalf("kill %d: found %q", i, got)
			}
			must(t, os.WriteFile(filepath.Join(root, "a.md"), was, 0o644))
		}
	}
	if n := events(); n < enough {
		t.Errorf("only %d events: the processes died before they did anything", n)
	}
}

// Killed at every step of every operation: afterwards the operation happened or it did not.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	for op, c := range map[string]struct {
		outside bool   // b.md is changed from outside before
		before  string // what is found when it did not happen
		after   string
	}{
		"append": {false, "", ""}, "write": {false, "", ""}, "save": {false, "", ""},
		"accept": {true, "b.md changed", ""}, "restore": {true, "b.md changed", ""},
		"pass": {true, "b.md changed", ""},
	} {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			died := 0
			for n := 1; n < 60; n++ {
				root, dir, s := stage(t)
				if c.outside {
					must(t, os.WriteFile(filepath.Join(root, "b.md"), []byte("outside\n"), 0o644))
				}
				cmd := again(t, fmt.Sprintf("%s:%d", op, n), root, dir)
				if err := cmd.Run(); err == nil {
					if n < 3 {
						t.Fatal("it does not die")
					}
					died = n - 1
					if got := kindsOf(t, s); got != c.after {
						t.Errorf("done, and found %q", got)
					}
					break
				}
				sound(t, s)
				if got := kindsOf(t, s); got != c.before && got != c.after {
					t.Errorf("killed at step %d: found %q", n, got)
				}
				s.cached = nil
				events, err := s.Unlogged()
				must(t, err)
				archives, err := s.Archives()
				must(t, err)
				told := 0
				for _, e := range events {
					if e.Archive != "" {
						told++
					}
				}
				happened := kindsOf(t, s) == "" && c.outside
				if told != len(archives) && op != "append" && op != "write" ||
					happened != (told == 1) && c.outside {
					t.Errorf("killed at step %d: happened %v, %d told, %d archives", n, happened,
						told, len(archives))
				}
				sound(t, s)
			}
			if died == 0 {
				t.Error("60 steps and no end")
			}
		})
	}
}

// Each step may also fail: the error comes back, and nothing is half done.
func TestEveryStepFails(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	ops := map[string]func(w *world) error{
		"begin": func(w *world) error { return w.Begin("x", "me", []string{w.path("TODO.md")}) },
		"accept": func(w *world) error {
			_, err := w.Accept(me, w.path("TODO.md"), "", "why")
			return err
		},
		"restore": func(w *world) error { _, err := w.Restore(me, w.path("TODO.md")); return err },
		"pass": func(w *world) error {
			r, err := w.Look()
			_, err2 := w.Pass(me, r.Findings)
			return errors.Join(err, err2)
		},
	}
	for name, op := range ops {
		for n := 1; ; n++ {
			w := newWorld(t)
			w.write("TODO.md", "a\n")
			w.want("")
			w.write("TODO.md", "b\n")
			_, err := w.Show(me, w.path("TODO.md"))
			must(t, err)
			count := 0
			w.step = func(string) error {
				if count++; count == n {
					return boom
				}
				return nil
			}
			err = op(w)
			w.step = nil
			if err == nil {
				if n < 2 {
					t.Errorf("%s has no steps", name)
				}
				break
			}
			if !errors.Is(err, boom) {
				t.Fatalf("%s, step %d: %v", name, n, err)
			}
			if got := w.kinds(); got != "" && got != "TODO.md changed" {
				t.Errorf("%s, step %d: %s", name, n, got)
			}
			sound(t, w.Store)
		}
	}
}

// 32 processes write the same file at once; that is not reported as tampering, and no line
// is lost.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	root, dir, s := stage(t)
	var stop atomic.Bool
	var watch, writers sync.WaitGroup
	watch.Go(func() {
		for !stop.Load() {
			r, err := at(root, dir).VerifyIntegrity(Who{})
			if err != nil || len(r.Findings) > 0 {
				t.Errorf("while they write: %+v, %v", r.Findings, err)
				return
			}
		}
	})
	for range 32 {
		writers.Go(func() {
			if out, err := again(t, "append", root, dir).Output(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	writers.Wait()
	stop.Store(true)
	watch.Wait()
	if got := kindsOf(t, s); got != "" {
		t.Errorf("found %q", got)
	}
	text, err := os.ReadFile(filepath.Join(root, "a.md"))
	must(t, err)
	if n := strings.Count(string(text), "\n"); n != 33 {
		t.Errorf("%d lines", n)
	}
	s.cached = nil
	m, err := s.load()
	must(t, err)
	if len(m.grants) != 0 {
		t.Errorf("%d runs are still writing", len(m.grants))
	}
	if content, err := s.blob(m.records[filepath.Join(root, "a.md")].Raw); err != nil ||
		string(content) != string(text) {
		t.Errorf("the copy is not the file: %v", err)
	}
}

// ENOSPC: an error, and everything as it was; with room again everything goes on.
func TestFullDisk(t *testing.T) {
	if os.Getenv("TAMPER_TEST_NAMESPACE") == "" {
		self, err := os.Executable()
		must(t, err)
		cmd := exec.Command(self, "-test.run", "^TestFullDisk$", "-test.v")
		cmd.Env = append(os.Environ(), "TAMPER_TEST_NAMESPACE=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
			t.Skipf("this machine gives no user namespace: %v", err)
		}
		if err != nil || !strings.Contains(string(out), "PASS: TestFullDisk") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	mnt := t.TempDir()
	must(t, unix.Mount("tmpfs", mnt, "tmpfs", 0, "size=256k"))
	t.Cleanup(func() { _ = unix.Unmount(mnt, unix.MNT_DETACH) })
	w := newWorld(t)
	w.Store.dir = filepath.Join(mnt, "shadow")
	w.write("TODO.md", "a\n")
	w.want("")
	w.write("TODO.md", strings.Repeat("b", 8192))
	_, err := w.Show(me, w.path("TODO.md"))
	must(t, err)
	filler := filepath.Join(mnt, "filler")
	f, err := os.Create(filler)
	must(t, err)
	for block := make([]byte, 4096); err == nil; _, err = f.Write(block) {
	}
	f.Close()
	for name, op := range map[string]func() error{
		"begin": func() error { return w.Begin("x", "me", []string{w.path("TODO.md")}) },
		"accept": func() error {
			_, err := w.Accept(me, w.path("TODO.md"), "", "why")
			return err
		},
		"restore": func() error { _, err := w.Restore(me, w.path("TODO.md")); return err },
		"pass":    func() error { r, _ := w.Look(); _, err := w.Pass(me, r.Findings); return err },
		"confirm": func() error { _, _, err := w.Mode(me, true); return err },
	} {
		if err := op(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s on a full disk: %v", name, err)
		}
		w.want("TODO.md changed")
		sound(t, w.Store)
	}
	must(t, os.Remove(filler))
	w.accept("TODO.md")
	w.want("")
}

// 1,000 unchanged files.
func BenchmarkUnchanged(b *testing.B) {
	for _, mode := range []string{"first", "again"} {
		b.Run(mode, func(b *testing.B) {
			root, dir := thousand(b)
			s := Open(dir, Options{Root: root, Patterns: []string{"f/*.md"}, Now: later})
			before := processorTime()
			for b.Loop() {
				if mode == "first" {
					s = Open(dir, s.o)
				}
				if r, err := s.VerifyIntegrity(Who{}); err != nil || r.Hashed > 0 ||
					len(r.Files) != 1000 {
					b.Fatal(r.Hashed, err)
				}
			}
			b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// processorTime is what this process has used. A machine that does other work too makes the clock
// on the wall say nothing.
func processorTime() time.Duration {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now)
	return time.Duration(now.Nano())
}

func later() time.Time { return time.Now().Add(time.Hour) }

func thousand(t testing.TB) (root, dir string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root, dir = filepath.Join(base, "ws"), filepath.Join(base, "shadow")
	must(t, os.MkdirAll(filepath.Join(root, "f"), 0o755))
	for i := range 1000 {
		must(t, os.WriteFile(filepath.Join(root, "f", fmt.Sprintf("%04d.md", i)),
			fmt.Appendf(nil, "%d\n", i), 0o644))
	}
	s := Open(dir, Options{Root: root, Patterns: []string{"f/*.md"}, Now: later})
	_, err = s.VerifyIntegrity(Who{})
	must(t, err)
	must(t, s.Logged(1000)) // as it is when the record has them
	must(t, s.update(func(*manifest) (bool, error) { return true, nil }))
	return root, dir
}

// an unchanged file is not even opened, and verifying 1,000 of them in a process that has
// just started takes a few times as long as lstat(2) of each. What others do on this machine is no
// part of that: it is processor time, and the best of several of both.
func TestUnchangedCostsAStat(t *testing.T) {
	root, dir := thousand(t)
	s := Open(dir, Options{Root: root, Patterns: []string{"f/*.md"}, Now: later})
	reads := 0
	s.step = func(step string) error {
		if step == "read" {
			reads++
		}
		return nil
	}
	if r, err := s.VerifyIntegrity(Who{}); err != nil || reads != 0 || len(r.Files) != 1000 ||
		len(r.Findings) != 0 {
		t.Errorf("%d reads, %d files, %v", reads, len(r.Files), err)
	}
	verify, lstat := time.Hour, time.Hour
	for range 20 {
		before := processorTime()
		if _, err := Open(dir, s.o).VerifyIntegrity(Who{}); err != nil {
			t.Fatal(err)
		}
		between := processorTime()
		for n := range 1000 {
			if _, err := os.Lstat(filepath.Join(root, "f", fmt.Sprintf("%04d.md", n))); err != nil {
				t.Fatal(err)
			}
		}
		verify, lstat = min(verify, between-before), min(lstat, processorTime()-between)
	}
	t.Logf("verified in %v, lstat %v", verify, lstat)
	if verify > 3*lstat {
		t.Errorf("1,000 unchanged files take %v, and 1,000 times lstat %v", verify, lstat)
	}
}

// A command with one protected file pays this at its start.
func BenchmarkOne(b *testing.B) {
	base := b.TempDir()
	root, dir := filepath.Join(base, "ws"), filepath.Join(base, "shadow")
	must(b, os.MkdirAll(root, 0o755))
	must(b, os.WriteFile(filepath.Join(root, "TODO.md"), []byte("x"), 0o644))
	o := Options{Root: root, Patterns: []string{"TODO.md"}, Now: later}
	_, err := Open(dir, o).VerifyIntegrity(Who{})
	must(b, err)
	for b.Loop() {
		if r, err := Open(dir, o).VerifyIntegrity(Who{}); err != nil || r.Hashed > 0 {
			b.Fatal(err)
		}
	}
}
