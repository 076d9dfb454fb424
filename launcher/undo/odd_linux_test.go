package undo

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestOddFiles: pipes, sockets, devices and what has no content come back, and are never opened.
func TestOddFiles(t *testing.T) {
	for name, dir := range places(t) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, dir(t))
			make := map[string]error{
				"pipe":   unix.Mknod(w.path("pipe"), unix.S_IFIFO|0o640, 0),
				"socket": unix.Mknod(w.path("socket"), unix.S_IFSOCK|0o640, 0),
				"link":   os.Symlink("nowhere", w.path("link")),
			}
			if os.Geteuid() == 0 {
				make["device"] = unix.Mknod(w.path("device"), unix.S_IFCHR|0o600,
					int(unix.Mkdev(1, 3)))
			}
			w.write("empty", "")
			before := w.digest()
			nextTick()
			s := w.run("run", func(h *hand) {
				for name, err := range make {
					if err != nil {
						t.Fatal(name, err)
					}
					h.rewrite(w.path(name), "text", 0, 0)
					h.chmod(w.path(name), 0o600)
					h.remove(w.path(name), 0)
				}
				h.remove(w.path("empty"), 0)
				h.mkdir(w.path("pipe"))
			})
			if len(s.Lacks) > 0 {
				t.Error(s.Lacks)
			}
			r := w.undo("undo", "run")
			if now := w.digest(); now != before || r.Refused > 0 {
				t.Errorf("%s%v", difference(before, now), r.Steps)
			}
		})
	}
}

// TestSparseFile: the holes of a file are not copied, here and back, and do not count.
func TestSparseFile(t *testing.T) {
	w := newWorld(t, t.TempDir())
	const size = 200 << 30
	w.write("sparse", "start")
	if err := os.Truncate(w.path("sparse"), size); err != nil {
		t.Skip(err)
	}
	f, err := os.OpenFile(w.path("sparse"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("end"), size-3); err != nil {
		t.Fatal(err)
	}
	s := w.run("run", func(h *hand) { h.truncate(w.path("sparse"), 10) })
	if len(s.Lacks) > 0 {
		t.Fatal(s.Lacks)
	}
	run, err := w.store.Read("run")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(w.store.dir, "run", run.book.inodes[0].copied.file())
	now, at, err := stat(unix.AT_FDCWD, copied)
	if err != nil || now.Size != size || at.disk > 1<<20 {
		t.Errorf("the copy: %d bytes, %d on the disk: %v", now.Size, at.disk, err)
	}
	b := make([]byte, 3)
	if c, err := os.Open(copied); err != nil {
		t.Error(err)
	} else {
		defer c.Close()
		if _, err := c.ReadAt(b, size-3); err != nil || string(b) != "end" {
			t.Errorf("%q, %v", b, err)
		}
	}
	w.run("removal", func(h *hand) { h.remove(w.path("sparse"), 0) })
	if r := w.undo("back", "removal"); r.Refused > 0 {
		t.Error(r.Steps)
	}
	for _, step := range [][2]string{{"undo", "run"}, {"redo", "undo"}, {"again", "redo"}} {
		if r := w.undo(step[0], step[1]); r.Refused > 0 {
			t.Error(r.Steps)
		}
		now, at, err := stat(unix.AT_FDCWD, w.path("sparse"))
		want := map[string]int64{"undo": size, "redo": 10, "again": size}[step[0]]
		if err != nil || now.Size != want || at.disk > 1<<20 {
			t.Errorf("%s: %d bytes, %d on the disk: %v", step[0], now.Size, at.disk, err)
		}
	}
	if _, err := f.ReadAt(b, size-3); err != nil || string(b) != "end" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestMovedAndChanged: what changed in a file of which only a move was noted is reported.
func TestMovedAndChanged(t *testing.T) {
	for name, change := range map[string]func(string) error{
		"mode":    func(p string) error { return os.Chmod(p, 0o640) },
		"content": func(p string) error { return os.WriteFile(p, []byte("longer"), 0o600) },
		"time":    func(p string) error { return os.Chtimes(p, time.Now(), time.Unix(9, 0)) },
	} {
		w := newWorld(t, t.TempDir())
		w.write("f", "text")
		s := w.run("run", func(h *hand) {
			h.rename(w.path("f"), w.path("g"), 0)
			if err := change(w.path("g")); err != nil {
				t.Fatal(err)
			}
		})
		if s.Reversible != "partly" || len(s.Lacks) != 1 || s.Lacks[0].Path != w.path("g") {
			t.Errorf("%s: %v, %v", name, s.Reversible, s.Lacks)
		}
	}
}

// TestMadeAtOnce: what a run makes in the tick of the clock in which it starts is its own, also
// where it is known only after it was moved.
func TestMadeAtOnce(t *testing.T) {
	for range 20 {
		w := newWorld(t, t.TempDir())
		if err := os.Mkdir(w.path("a"), 0o700); err != nil {
			t.Fatal(err)
		}
		before := w.unlinked()
		nextTick()
		j := w.begin("run")
		h := &hand{j: j}
		h.create(w.path("a/f"), "x", 0)
		s, _, err := stat(unix.AT_FDCWD, w.path("a/f"))
		if err != nil || !j.IsNew(s.ID.Birth) || fileTime() <= j.book.head.start {
			// some kernels give a file a time between two ticks, sometimes
			t.Fatalf("%v, born %d ns before the start, or it could be", err,
				j.book.head.start-s.ID.Birth)
		}
		h.rename(w.path("a/f"), w.path("g"), 0)
		w.end(j)
		if result := w.undo("undo", "run"); result.Refused > 0 || w.unlinked() != before {
			t.Fatalf("%q", result.Steps)
		}
	}
}

// TestIsNew: what was made before the start is not new, nor what has a time that is still to come
// because the clock was set back.
func TestIsNew(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.write("f", "text")
	before, _, err := stat(unix.AT_FDCWD, w.path("f"))
	if err != nil || before.ID.Birth == 0 {
		t.Skip("no times of birth", err)
	}
	time.Sleep(20 * time.Millisecond)
	j := w.begin("run")
	defer w.end(j)
	time.Sleep(20 * time.Millisecond)
	w.write("g", "text")
	after, _, err := stat(unix.AT_FDCWD, w.path("g"))
	if err != nil || j.IsNew(before.ID.Birth) || !j.IsNew(after.ID.Birth) {
		t.Errorf("%d, %d: %v", before.ID.Birth, after.ID.Birth, err)
	}
	if j.IsNew(time.Now().Add(time.Minute).UnixNano()) {
		t.Error("what comes is new")
	}
}

// TestBroughtByAnother: what another program moves to a name that was empty for a moment stays.
func TestBroughtByAnother(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.write("f", "text")
	away := func(from, to string) {
		if err := os.Rename(w.path(from), w.path(to)); err != nil {
			t.Fatal(err)
		}
	}
	s := w.run("run", func(h *hand) {
		h.rewrite(w.path("f"), "TEXT", 0, 0)
		away("f", "t")
		h.create(w.path("f"), "new", 0)
		away("t", "f")
	})
	if s.Reversible != "partly" || len(s.Lacks) != 1 || s.Lacks[0].Why != putThere {
		t.Errorf("%v, %v", s.Reversible, s.Lacks)
	}
	r := w.undo("undo", "run")
	if text, err := os.ReadFile(w.path("f")); err != nil || string(text) != "text" {
		t.Errorf("%q, %v: %v", text, err, r.Steps)
	}
}

// TestHolesComeBack: what a run wrote into the holes of a file goes, and nothing else.
func TestHolesComeBack(t *testing.T) {
	w := newWorld(t, t.TempDir())
	const size = 300 << 10
	w.write("f", "")
	f, err := os.OpenFile(w.path("f"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = f.WriteAt([]byte("middle"), 100<<10)
	if err := errors.Join(err, f.Truncate(size)); err != nil {
		t.Fatal(err)
	}
	before := w.digest()
	w.run("run", func(h *hand) {
		h.rewrite(w.path("f"), strings.Repeat("x", 400<<10), 0, 0)
	})
	if r := w.undo("undo", "run"); r.Refused > 0 || w.digest() != before {
		t.Errorf("%s%v", difference(before, w.digest()), r.Steps)
	}
}

// TestFileThatGrows: what is kept of a file that another process writes is what was there when it
// was looked at, and ends.
func TestFileThatGrows(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.write("log", strings.Repeat("line\n", 5000))
	stop := make(chan bool)
	var writer sync.WaitGroup
	writer.Go(func() {
		f, err := os.OpenFile(w.path("log"), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = f.WriteString("line\n")
			}
		}
	})
	for n := range 20 {
		h := &hand{j: w.begin(fmt.Sprint("run", n))}
		h.say("write")
		h.inode(w.path("log"), (*Journal).Write, func(string) {})
		var err *NotKeptError
		if h.err != nil && !(errors.As(h.err, &err) && err.Err == ErrTooLarge) {
			t.Fatal(h.err)
		}
		w.end(h.j)
		run, readErr := w.store.Read(h.j.book.head.run)
		if readErr != nil {
			t.Fatal(readErr)
		}
		i := run.book.inodes[0]
		path := filepath.Join(w.store.dir, h.j.book.head.run, i.copied.file())
		s, e := look(unix.AT_FDCWD, path)
		if h.err == nil && (e != nil || s.Size != i.before.Size) {
			t.Errorf("%d bytes of %d: %v", s.Size, i.before.Size, e)
		}
	}
	close(stop)
	writer.Wait()
}

// TestLimits: what is too large, or does not fit the quota any more, is refused before it changes,
// and the summary says so. Runs at once do not pass the quota together.
func TestLimits(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.store.o = Options{Quota: 1 << 20, File: 64 << 10}
	w.write("large", strings.Repeat("x", 65<<10))
	h := &hand{j: w.begin("large")}
	h.rewrite(w.path("large"), "gone", unix.O_TRUNC, 0)
	if !errors.Is(h.err, ErrTooLarge) || len(w.read("large")) != 65<<10 {
		t.Errorf("%v", h.err)
	}
	if s := w.end(h.j); s.Reversible == "true" || len(s.Lacks) != 1 {
		t.Errorf("%+v", s)
	}
	var runs sync.WaitGroup
	for n := range 4 {
		j := w.begin(fmt.Sprint("run", n))
		runs.Go(func() {
			h := &hand{j: j}
			for k := range 20 {
				path := w.path(fmt.Sprint(n, "-", k))
				if err := os.WriteFile(path, make([]byte, 32<<10), 0o644); err != nil {
					t.Error(err)
				}
				if h.rewrite(path, "y", unix.O_TRUNC, 0); h.err != nil {
					break
				}
				h.remove(path, 0)
			}
			if h.err != nil && !errors.Is(h.err, ErrQuota) {
				t.Error(h.err)
			}
			if _, err := j.Close(End{}); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	if n := heldIn(w.store.dir); n > 1<<20 || n < 1<<19 {
		t.Errorf("%d bytes are kept", n)
	}
}

// TestGC: what is old goes, and of the rest the oldest where there is no room, but not the last
// content of a file.
func TestGC(t *testing.T) {
	w := newWorld(t, t.TempDir())
	for _, name := range []string{"only", "often"} {
		if err := os.WriteFile(w.path(name), make([]byte, 100<<10), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.run("first", func(h *hand) { h.remove(w.path("only"), 0) })
	for n := range 4 {
		w.run(fmt.Sprint("run", n), func(h *hand) {
			h.rewrite(w.path("often"), fmt.Sprint(n), 0, 0)
		})
	}
	w.store.o.Quota = 400 << 10
	freed, err := w.store.GC(time.Now(), 0)
	if err != nil || fmt.Sprint(freed.Runs) != "[run0 run1]" || freed.Kept > 300<<10 {
		t.Errorf("%+v, %v", freed, err)
	}
	if r := w.undo("undo", "first"); r.Refused > 0 || len(w.read("only")) != 100<<10 {
		t.Error(r.Steps)
	}
	if _, err := w.store.Read("run0"); err != ErrUnknownRun {
		t.Error(err)
	}
	freed, err = w.store.GC(time.Now().Add(48*time.Hour), 0)
	if list, _ := w.store.Runs(); err != nil || len(list) != 0 || freed.Kept != 0 {
		t.Errorf("%+v, %v: %v", freed, err, list)
	}
}

// TestGCByAWrongClock: a clock that is set forward or back by years ends nothing that can be
// undone, and where there is no room, the oldest runs go by any clock.
func TestGCByAWrongClock(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.write("often", strings.Repeat("x", 100<<10))
	for n := range 3 {
		w.run(fmt.Sprint("run", n), func(h *hand) {
			h.rewrite(w.path("often"), strings.Repeat("y", 100<<10), 0, 0)
		})
	}
	for _, now := range []time.Time{time.Unix(0, 0), time.Now().AddDate(-5, 0, 0),
		time.Now().AddDate(2, 0, 0), time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if freed, err := w.store.GC(now, time.Hour); err != nil || len(freed.Runs) > 0 {
			t.Errorf("in %d: %+v, %v", now.Year(), freed, err)
		}
	}
	w.store.o.Quota = 350 << 10
	freed, err := w.store.GC(time.Unix(0, 0), time.Hour)
	if err != nil || fmt.Sprint(freed.Runs) != "[run0]" {
		t.Errorf("without room in 1970: %+v, %v", freed, err)
	}
	w.store.o.Quota = 250 << 10
	freed, err = w.store.GC(time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), time.Hour)
	if err != nil || fmt.Sprint(freed.Runs) != "[run1]" {
		t.Errorf("without room in 2200: %+v, %v", freed, err)
	}
}

// The runs of a time when the clock was wrong, and those of other times.
func TestRunsOfAnotherClock(t *testing.T) {
	day := func(text string) int64 {
		at, err := time.Parse(time.DateOnly, text)
		must(t, err)
		return at.UnixNano()
	}
	for _, c := range []struct{ now, starts, old string }{
		{"2026-12-10", "2026-11-01 2026-12-09", "2026-11-01"},
		{"2026-12-10", "2026-11-01 2026-12-09 2200-01-01", "2026-11-01"},
		{"2200-01-20", "2026-11-01 2026-12-09 2200-01-01 2200-01-19", "2200-01-01"},
		{"2026-12-10", "1970-01-01 2026-11-01", "2026-11-01"},
		{"2027-11-01", "2026-11-02 2026-12-09", "2026-11-02 2026-12-09"},
		{"1970-01-02", "1970-01-01 2026-11-01", ""},
	} {
		var runs []*storedRun
		for start := range strings.FieldsSeq(c.starts) {
			runs = append(runs, &storedRun{name: start, start: day(start)})
		}
		from, to := aged(runs, time.Unix(0, day(c.now)), 7*24*time.Hour)
		var old []string
		for _, r := range runs {
			if from <= r.start && r.start < to {
				old = append(old, r.name)
			}
		}
		if got := strings.Join(old, " "); got != c.old {
			t.Errorf("on %s of %s: %q is too old, want %q", c.now, c.starts, got, c.old)
		}
	}
}

// TestHonesty: what the journal was not told of is found and named.
func TestHonesty(t *testing.T) {
	w := newWorld(t, t.TempDir())
	if err := os.MkdirAll(w.path("a/b"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.write("a/b/f", "before")
	w.write("a/same", "before")
	nextTick()
	h := &hand{j: w.begin("run")}
	nextTick()
	h.create(w.path("noted"), "x", 0)
	w.write("a/b/f", "not noted")
	w.write("a/new", "not noted")
	s := w.end(h.j)
	var found []string
	for _, l := range s.Lacks {
		found = append(found, strings.TrimPrefix(l.Path, w.tree))
	}
	if s.Reversible != "partly" || strings.Join(found, " ") != "/a /a/b/f /a/new" &&
		strings.Join(found, " ") != "/a /a/new /a/b/f" {
		t.Errorf("%s: %q", s.Reversible, found)
	}
}

// What comes into a folder that was put in the place of a noted file, or into one that the run has
// closed, is found.
func TestHonestyOfFolders(t *testing.T) {
	w := newWorld(t, t.TempDir())
	if err := os.Mkdir(w.path("closed"), 0o755); err != nil {
		t.Fatal(err)
	}
	nextTick()
	h := &hand{j: w.begin("run")}
	nextTick()
	h.create(w.path("file"), "x", 0)
	h.create(w.path("other"), "x", 0)
	h.chmod(w.path("closed"), 0o700)
	w.write("closed/new", "not noted")
	h.chmod(w.path("closed"), 0)
	for _, err := range []error{os.Remove(w.path("file")), os.Mkdir(w.path("file"), 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.write("file/in", "not noted")
	if err := unix.Mkfifo(w.path("file/pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, l := range w.end(h.j).Lacks {
		found = append(found, strings.TrimPrefix(l.Path, w.tree))
	}
	slices.Sort(found)
	if !slices.Equal(found, []string{"/closed/new", "/file/in", "/file/pipe"}) || h.err != nil {
		t.Errorf("%q, %v", found, h.err)
	}
	if s, err := look(unix.AT_FDCWD, w.path("closed")); s.Mode&0o777 != 0 || err != nil {
		t.Errorf("%o, %v", s.Mode, err)
	}
}

// What tada-run writes for itself in a tree is no change of the run.
func TestOwnStateIsNoChange(t *testing.T) {
	w := newWorld(t, t.TempDir())
	if err := os.MkdirAll(w.path("state/audit"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.store.o.Own = w.path("state")
	nextTick()
	h := &hand{j: w.begin("run")}
	nextTick()
	h.create(w.path("noted"), "x", 0)
	w.write("state/audit/log", "not noted")
	if s := w.end(h.j); s.Reversible != "true" || len(s.Lacks) != 0 {
		t.Errorf("%s: %+v", s.Reversible, s.Lacks)
	}
}

// TestFullDisk: on a disk that is full, nothing changes that was not kept, and what was kept can be
// taken back when there is room.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	inNamespace(t, again(t, "full", dir))
}

// inNamespace runs a job where it may mount.
func inNamespace(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}},
	}
	err := cmd.Run()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) {
		t.Skip("no user namespaces here")
	}
	if err != nil {
		t.Error(err)
	}
}

// mountDisk mounts an empty disk. In a namespace of its own, no other process sees it.
func mountDisk(dir, options string) error {
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		return fmt.Errorf("mount %s: %w", dir, err)
	}
	return nil
}

// unmount detaches a disk: who looks at the descriptors of all processes in that moment, as other
// tests do, would keep it busy.
func unmount(dir string) error {
	if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount %s: %w", dir, err)
	}
	return nil
}

// fullDisk fills a small disk at different moments of a run.
func fullDisk(dir string) error {
	for fill := range 40 {
		if err := mountDisk(dir, "size=512k,mode=0755"); err != nil {
			return err
		}
		if err := fullAt(dir, fill); err != nil {
			return fmt.Errorf("with the disk full at %d: %w", fill, err)
		}
		if err := unmount(dir); err != nil {
			return err
		}
	}
	return nil
}

func fullAt(dir string, at int) error {
	w := newWorld(inChild{}, dir)
	for n := range 20 {
		w.write(fmt.Sprint("f", n), strings.Repeat("before", 1000))
	}
	before := w.digest()
	nextTick()
	full := filepath.Join(dir, "full")
	h := &hand{j: w.begin("run")}
	for n := range 20 {
		if n == at/2 {
			_ = os.WriteFile(full, make([]byte, 510<<10-at%2*2048), 0o600) // as far as it goes
		}
		path := w.path(fmt.Sprint("f", n))
		switch n % 3 {
		case 0:
			h.rewrite(path, "after", unix.O_TRUNC, 0)
		case 1:
			h.remove(path, 0)
		case 2:
			h.rename(path, path+"x", 0)
		}
	}
	_, closeErr := h.j.Close(End{})
	if err := os.Remove(full); err != nil && at/2 < 20 {
		return err
	}
	_, err := w.store.Read("run")
	if err == ErrUnknownRun {
		if now := w.digest(); now != before {
			return fmt.Errorf("changed, and nothing kept:\n%s", difference(before, now))
		}
		return nil
	}
	if err != nil {
		return err
	}
	r, err := w.store.Undo(Take{Runs: []string{"run"}}, "undo")
	if now := w.digest(); err != nil || now != before {
		return fmt.Errorf("%w (closed: %v)\n%s%v", err, closeErr, difference(before, now), r.Steps)
	}
	return nil
}
