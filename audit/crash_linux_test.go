package audit

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/audit/sorted"
	"github.com/tada-run/tada-run/integration/hermetic"
)

// The test binary is also the process that appends and dies.
func TestMain(m *testing.M) {
	if job := os.Getenv("AUDIT_TEST_JOB"); job != "" {
		if err := child(job, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	sorted.Memory = 64 << 10 // what is sorted is in files too
	os.Exit(hermetic.Tests(m).Run())
}

func child(job string, args []string) error {
	l, err := OpenLog(args[0], LogOptions{Now: time.Now, BootID: testBoot, MinFree: 1,
		Wait: time.Minute})
	if err != nil {
		return err
	}
	switch job {
	case "rotate": // dying in the append that begins a new segment
		l.rotateAt, l.step = 1, dieAt(args[1])
		_, err := l.Append("dying", []byte(`{}`), Lazy)
		return fmt.Errorf("did not die at %q: %w", args[1], err)
	case "begin": // dying while a run takes its place
		l.step = dieAt(args[1])
		_, err := l.Begin("begins")
		return fmt.Errorf("did not die at %q: %w", args[1], err)
	case "scan": // dying while it records the end of another run
		l.step = dieAt(args[1])
		_, err := l.Orphans()
		return fmt.Errorf("did not die at %q: %w", args[1], err)
	case "runs": // honest ones, one after the other
		each, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		l.Close()
		return manyChild(args[0], args[1], each)
	case "run": // dying somewhere in a run
		sid := args[1]
		if _, err := l.Begin(sid); err != nil {
			return err
		}
		body := []byte(`{"sid":"` + sid + `"}`)
		for _, kind := range map[string][]string{
			"announced": {KindIntent}, "started": {KindIntent, KindStart},
			"ended": {KindIntent, KindStart, KindEnd},
		}[sid] {
			if _, err := l.Append(kind, body, Durable); err != nil {
				return err
			}
		}
		dieAt("")("")
	case "latency":
		d, _ := strconv.Atoi(args[1])
		n, _ := strconv.Atoi(args[2])
		return latencies(l, Durability(d), n)
	case "prune":
		l.step = dieAt(args[1])
		_, _, err := l.Prune(Retention{MaxBytes: 1}, "dying", nil)
		return fmt.Errorf("did not die at %q: %w", args[1], err)
	case "many", "many small":
		if job == "many small" {
			l.rotateAt = 10_000
		}
		n, _ := strconv.Atoi(args[2])
		for i := range n {
			d := Lazy
			if i%50 == 0 {
				d = Durable
			}
			if _, err := l.Append("k", fmt.Appendf(nil, `{"i":%d,"w":%s}`, i, args[1]),
				d); err != nil {
				return err
			}
		}
	case "seal": // dying by SIGKILL, at a step of it
		l.step = dieAt(args[1])
		_, err := l.Seal(rand.Reader)
		return fmt.Errorf("did not die at %q: %w", args[1], err)
	case "die": // the same in an append
		l.step = dieAt(args[1])
		if len(args) > 2 { // after only so many bytes could be written
			room, _ := strconv.ParseInt(args[2], 10, 64)
			if err := limitFile(l, room); err != nil {
				return err
			}
		}
		_, err := l.Append("dying", []byte(`{"long":"`+strings.Repeat("x", 100)+`"}`), Durable)
		return fmt.Errorf("did not die at %q: %w", args[1], err)
	}
	return nil
}

func dieAt(step string) func(string) {
	return func(s string) {
		if s == step {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// limitFile lets the log grow by room bytes: a full disk that an ordinary user can produce.
func limitFile(l *Log, room int64) error {
	st, err := l.log.Stat()
	if err != nil {
		return err
	}
	lim := uint64(st.Size() + room)
	return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: lim, Max: lim})
}

func run(t testing.TB, job string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	c := exec.Command(exe, args...)
	c.Env = append(os.Environ(), "AUDIT_TEST_JOB="+job)
	var out bytes.Buffer
	c.Stderr = &out
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s %v: %s", job, args[1:], &out)
		}
	})
	return c
}

// A process killed at any step of an append leaves a log that verifies, has everything that was
// promised, and can be appended to.
func TestKilledAtEveryStep(t *testing.T) {
	steps := map[string]int64{
		// what is in the log afterwards, besides the 3 before and the 1 after
		"locked": 0, "write": 0, "written": 1, "anchored": 1, "sync locked": 1, "synced": 1,
		"published": 1,
	}
	for step, kept := range steps {
		dir := fill(t, 3)
		if err := run(t, "die", dir, step).Run(); !killed(err) {
			t.Fatalf("%s: %v", step, err)
		}
		r := mustVerify(t, dir)
		if r.Entries != 3+kept || r.Torn != 0 {
			t.Errorf("killed at %q: %d entries, %d torn bytes", step, r.Entries, r.Torn)
		}
		mustAppend(t, openNow(t, dir), "after", `{}`)
		if r := mustVerify(t, dir); r.Entries != 4+kept || len(r.Gaps) != 0 || r.NotAnchored != 0 {
			t.Errorf("killed at %q, then appended: %+v", step, r)
		}
	}
}

// openNow opens the log with the clock that the children use.
func openNow(t *testing.T, dir string) *Log {
	t.Helper()
	l, err := OpenLog(dir, LogOptions{Now: time.Now, BootID: testBoot})
	must(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func killed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
}

// A process is killed in the middle of the write, after any number of its bytes, and another in the
// middle of the repair: nothing is cut off, a recover entry names what is torn, and a line that
// only lacks its newline counts.
func TestTornAtEveryByte(t *testing.T) {
	t.Parallel()
	dir := fill(t, 2)
	good := readLog(t, dir)
	anchor := readAll(t, filepath.Join(dir, anchorName))
	l := openTest(t, dir)
	mustAppend(t, l, "dying", `{"long":"`+strings.Repeat("x", 100)+`"}`)
	whole := readLog(t, dir)[len(good):]
	restore := func(b []byte) {
		writeLog(t, dir, b)
		must(t, os.WriteFile(filepath.Join(dir, anchorName), anchor, 0o600))
	}
	for n := 1; n <= len(whole); n += stride() {
		restore(append(bytes.Clone(good), whole[:n]...))
		if r := mustVerify(t, dir); n < len(whole)-1 && r.Torn != int64(n) {
			t.Fatalf("torn after %d bytes: report says %d", n, r.Torn)
		}
		mustAppend(t, l, "after", `{}`)
		r := mustVerify(t, dir)
		b := readLog(t, dir)
		if !bytes.HasPrefix(b, append(bytes.Clone(good), whole[:n]...)) {
			t.Fatalf("torn after %d bytes: something was removed", n)
		}
		if want := n < len(whole)-1; want != (len(r.Gaps) == 1) || r.Entries != 4 {
			t.Fatalf("torn after %d of %d bytes: %d entries, gaps %+v", n, len(whole), r.Entries,
				r.Gaps)
		}
		if n%100 != 1 {
			continue
		}
		repair := b[len(good)+n:]
		for m := 1; m < len(repair); m += stride() {
			restore(append(append(bytes.Clone(good), whole[:n]...), repair[:m]...))
			mustVerifyTorn(t, dir)
			mustAppend(t, l, "after", `{}`)
			if r := mustVerify(t, dir); len(r.Gaps) == 0 || len(r.Gaps) > 2 {
				t.Fatalf("torn after %d bytes, repair after %d: %+v", n, m, r)
			}
			if !bytes.HasPrefix(readLog(t, dir),
				append(append(bytes.Clone(good), whole[:n]...), repair[:m]...)) {
				t.Fatal("something was removed")
			}
		}
	}
}

func mustVerifyTorn(t *testing.T, dir string) {
	t.Helper()
	if _, err := Verify(dir, VerifyOptions{}); err != nil {
		t.Fatalf("a torn tail is called tampering: %v", err)
	}
}

// The same with a real short write: the kernel takes a part, then refuses.
func TestKilledAfterShortWrite(t *testing.T) {
	for _, room := range []int{0, 1, 9, 100, 250} {
		dir := fill(t, 3)
		if err := run(t, "die", dir, "torn", strconv.Itoa(room)).Run(); !killed(err) {
			t.Fatalf("room for %d: %v", room, err)
		}
		if r := mustVerify(t, dir); r.Torn != int64(room) {
			t.Errorf("room for %d bytes: %d torn", room, r.Torn)
		}
		mustAppend(t, openTest(t, dir), "after", `{}`)
		if r := mustVerify(t, dir); r.Entries < 4 || (room > 0) != (len(r.Gaps) == 1) {
			t.Errorf("room for %d bytes: %+v", room, r)
		}
	}
}

// After a power cut the tail that was never synced may be gone, or garbage; what was promised
// durable may not.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	const nextBoot = "99999999-2222-3333-4444-555555555555"
	make := func() (dir string, durable, end int64) {
		dir = filepath.Join(t.TempDir(), "audit")
		l := openTest(t, dir)
		for i := range 6 {
			d := Lazy
			if i == 2 {
				d = Durable
			}
			e, err := l.Append("k", []byte(`{}`), d)
			must(t, err)
			if i == 3 {
				durable = e.Offset
			}
		}
		return dir, durable, int64(len(readLog(t, dir)))
	}
	boot := func(dir string) *Log {
		l, err := OpenLog(dir, LogOptions{Now: tick(), BootID: nextBoot, MinFree: 1})
		must(t, err)
		t.Cleanup(func() { l.Close() })
		return l
	}
	_, durable, end := make()
	for size := durable; size < end; size += 31 {
		for name, tail := range map[string][]byte{"cut": nil,
			"zeros":      bytes.Repeat([]byte{0}, int(end-size)),
			"more zeros": bytes.Repeat([]byte{0}, 5000)} {
			dir, _, _ := make()
			writeLog(t, dir, append(readLog(t, dir)[:size], tail...))
			mustAppend(t, boot(dir), "after", `{}`)
			r := mustVerify(t, dir)
			if len(r.Gaps) != 1 || r.Gaps[0].Reason != "power cut" {
				t.Fatalf("%s at %d: gaps %+v", name, size, r.Gaps)
			}
		}
	}
	var tampered *TamperError
	for _, size := range []int64{durable - 1, durable - 100, 0} {
		dir, _, _ := make()
		writeLog(t, dir, readLog(t, dir)[:size])
		if _, err := boot(dir).Append("after", []byte(`{}`), Lazy); !errors.As(err, &tampered) {
			t.Errorf("cut to %d, below the %d that were durable: %v", size, durable, err)
		}
	}
	// In the same boot nothing can be lost.
	dir, _, _ := make()
	writeLog(t, dir, readLog(t, dir)[:end-3])
	if _, err := openTest(t, dir).Append("after", []byte(`{}`), Lazy); !errors.As(err, &tampered) {
		t.Errorf("cut without a power cut: %v", err)
	}
}

// A full disk: an intent is refused before it fails, the reserve lets the end of what has begun be
// recorded, and nothing is lost.
func TestFullDisk(t *testing.T) {
	if os.Getenv("AUDIT_TEST_NAMESPACE") == "" {
		inNamespace(t)
		return
	}
	mnt := t.TempDir()
	must(t, unix.Mount("tmpfs", mnt, "tmpfs", 0, "size=3m"))
	defer unix.Unmount(mnt, unix.MNT_DETACH)
	dir := filepath.Join(mnt, "audit")
	l, err := OpenLog(dir, LogOptions{Now: tick(), BootID: testBoot})
	must(t, err)
	defer l.Close()
	if _, err := l.Append("exec.intent", []byte(`{}`), Intent); err != nil {
		t.Fatalf("with room: %v", err)
	}
	r := record(t, filepath.Join(mnt, "a.cast"))
	var full error
	for range 200 {
		if full = r.Output(CodeOutput, bytes.Repeat([]byte("x"), 20_000)); full != nil {
			break
		}
	}
	if !errors.Is(full, unix.ENOSPC) {
		t.Fatalf("the disk never got full: %v", full)
	}
	if _, err := l.Append("exec.intent", []byte(`{}`), Intent); !errors.Is(err, ErrNoSpace) {
		t.Errorf("intent on a full disk: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, reserveName)); err != nil {
		t.Fatalf("no reserve: %v", err)
	}
	// The end of the run, in the reserve.
	big := `{"why":"` + strings.Repeat("y", 6000) + `"}`
	for i := range 3 {
		if _, err := l.Append("exec.abort", []byte(big), Durable); err != nil {
			t.Fatalf("abort %d: %v", i, err)
		}
	}
	must(t, r.Gap(1, Hash{}))
	must(t, r.Exit("137"))
	sum, err := r.Close()
	must(t, err)
	got, err := verifyTranscript(bytes.NewReader(readAll(t, filepath.Join(mnt, "a.cast"))))
	must(t, err)
	if got.Head != sum.Head {
		t.Error("the transcript lost something")
	}
	if r := mustVerify(t, dir); r.Entries < 4 || r.Torn != 0 {
		t.Errorf("%+v", r)
	}
}

// inNamespace runs the calling test again in user and mount namespaces of its own, where every user
// may mount a tmpfs.
func inNamespace(t *testing.T) {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	c := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), "AUDIT_TEST_NAMESPACE=1")
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
	out, err := c.CombinedOutput()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSPC) {
		t.Skipf("no unprivileged user namespaces here: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// A failed store is final, for every process, until a person accepts.
func TestStoreFailureIsFinal(t *testing.T) {
	dir := fill(t, 3)
	l := openTest(t, dir)
	real := l.log
	// fdatasync of a pipe fails with EINVAL, like that of a broken disk with EIO.
	var swap bool
	l.step = func(s string) {
		if s == "sync locked" && swap {
			r, w, err := os.Pipe()
			must(t, err)
			t.Cleanup(func() { closeAll(r, w) })
			l.log = w
		}
	}
	swap = true
	if _, err := l.Append("k", []byte(`{}`), Durable); !errors.Is(err, ErrNotDurable) {
		t.Fatalf("failed store: %v", err)
	}
	swap, l.log = false, real
	if _, err := l.Append("k", []byte(`{}`), Lazy); !errors.Is(err, ErrNotDurable) {
		t.Errorf("the same process goes on: %v", err)
	}
	other := openTest(t, dir)
	if _, err := other.Append("k", []byte(`{}`), Lazy); !errors.Is(err, ErrNotDurable) {
		t.Errorf("another process goes on: %v", err)
	}
	if _, err := other.Accept("uid 1000", "new disk"); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, other, "k", `{}`)
	if r := mustVerify(t, dir); r.Entries != 6 {
		t.Errorf("%+v", r)
	}
}
