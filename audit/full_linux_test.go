package audit

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// small mounts a small file system, and returns functions that fill it up to the last block and
// free it again.
func small(t *testing.T, size string) (mnt string, fill, free func()) {
	t.Helper()
	mnt = t.TempDir()
	must(t, unix.Mount("tmpfs", mnt, "tmpfs", 0, "size="+size))
	t.Cleanup(func() { _ = unix.Unmount(mnt, unix.MNT_DETACH) })
	filler := filepath.Join(mnt, "filler")
	fill = func() {
		f, err := os.OpenFile(filler, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		must(t, err)
		defer f.Close()
		for block := bytes.Repeat([]byte{1}, 1<<16); len(block) > 0; {
			if _, err := f.Write(block); err != nil {
				block = block[:len(block)/2]
			}
		}
	}
	return mnt, fill, func() { must(t, os.Remove(filler)) }
}

// ENOSPC at each kind of write: the result is an error or the work, never a log that does not
// verify; with room again everything goes on.
func TestFullDiskEverywhere(t *testing.T) {
	if os.Getenv("AUDIT_TEST_NAMESPACE") == "" {
		inNamespace(t)
		return
	}
	long := []byte(`{"pad":"` + strings.Repeat("x", 9000) + `"}`)
	for name, c := range map[string]struct {
		do     func(l *Log, mnt string) error
		intent bool // must be refused
	}{
		"lazy": {func(l *Log, _ string) error {
			_, err := l.Append("k", long, Lazy)
			return err
		}, false},
		"durable": {func(l *Log, _ string) error {
			_, err := l.Append("k", long, Durable)
			return err
		}, false},
		"intent": {func(l *Log, _ string) error {
			_, err := l.Append("k", long, Intent)
			return err
		}, true},
		"seal": {func(l *Log, _ string) error { _, err := l.Seal(rand.Reader); return err },
			false},
		"rotate": {func(l *Log, _ string) error {
			l.rotateAt = 1
			_, err := l.Append("k", []byte(`{}`), Lazy)
			return err
		}, false},
		"prune": {func(l *Log, _ string) error {
			_, _, err := l.Prune(Retention{MaxBytes: 1}, "", nil)
			return err
		}, false},
		"begin": {func(l *Log, _ string) error { _, err := l.Begin("x"); return err }, false},
		"accept": {func(l *Log, _ string) error {
			_, err := l.Accept("uid 1000", "why")
			return err
		}, false},
		"create": {func(_ *Log, mnt string) error {
			r, err := Create(filepath.Join(mnt, "b.cast"), Header{},
				RecordOptions{Now: steps(1), Rand: rand.Reader})
			if err == nil {
				_, err = r.Close()
			}
			return err
		}, false},
		"new folder": {func(_ *Log, mnt string) error {
			l, err := OpenLog(filepath.Join(mnt, "other"),
				LogOptions{Now: time.Now, BootID: testBoot})
			if err == nil {
				_, err = l.Append("k", []byte(`{}`), Intent)
				l.Close()
			}
			return err
		}, true},
	} {
		for _, reserve := range []bool{true, false} {
			mnt, full, free := small(t, "4m")
			dir := filepath.Join(mnt, "audit")
			l := openMarked(t, dir, filepath.Join(mnt, "mark"))
			l.rotateAt = 20_000
			for range 6 {
				_, err := l.Append("k", long, Durable)
				must(t, err)
			}
			l.rotateAt = rotateSize
			if !reserve {
				must(t, l.Relieve())
			}
			full()
			err := c.do(l, mnt)
			if !reserve && (name == "lazy" || name == "seal" || name == "prune") &&
				!errors.Is(err, unix.ENOSPC) {
				t.Errorf("%s on a full disk: %v", name, err)
			}
			if c.intent && err == nil {
				t.Errorf("%s, reserve %v: not refused on a full disk", name, reserve)
			}
			if _, verr := Verify(dir, VerifyOptions{}); verr != nil {
				t.Errorf("%s, reserve %v (%v): %v", name, reserve, err, verr)
			}
			free()
			again := openMarked(t, dir, filepath.Join(mnt, "mark"))
			if _, err := again.Append("k", []byte(`{}`), Intent); err != nil &&
				!errors.Is(err, ErrNoSpace) {
				t.Errorf("%s, reserve %v: with room again: %v", name, reserve, err)
			}
			if _, err := again.Seal(rand.Reader); err != nil {
				t.Errorf("%s, reserve %v: sealing with room again: %v", name, reserve, err)
			}
			if _, verr := Verify(dir,
				VerifyOptions{Mark: filepath.Join(mnt, "mark")}); verr != nil {
				t.Errorf("%s, reserve %v, with room again: %v", name, reserve, verr)
			}
			must(t, again.Close())
			must(t, l.Close())
			must(t, unix.Unmount(mnt, unix.MNT_DETACH))
		}
	}
}

// A disk that fills up in the middle of a session: the record says what is missing, signed, using
// the reserve, and both files verify to the last byte.
func TestRecordingBreaks(t *testing.T) {
	if os.Getenv("AUDIT_TEST_NAMESPACE") == "" {
		inNamespace(t)
		return
	}
	mnt, _, _ := small(t, "5m")
	dir, cast := filepath.Join(mnt, "audit"), filepath.Join(mnt, "s.cast")
	l := openTest(t, dir)
	mustAppend(t, l, KindIntent, `{"sid":"s","verdict":"allow"}`)
	mustAppend(t, l, KindStart, `{"authority":"policy","sid":"s"}`)
	r := record(t, cast)
	var lost []byte
	var full error
	for i := 0; full == nil && i < 1000; i++ {
		lost = bytes.Repeat([]byte("x\r\n"), 5000)
		full = r.Output(CodeOutput, lost)
	}
	if !errors.Is(full, unix.ENOSPC) {
		t.Fatalf("the disk never got full: %v", full)
	}
	must(t, l.Broke(r, "s", nil, full, rand.Reader))
	must(t, r.Exit("137"))
	sum, err := r.Close()
	must(t, err)
	_, err = l.Append(KindClose, closeBody("s", sum), Durable)
	must(t, err)
	mustAppend(t, l, KindEnd, `{"sid":"s"}`)
	report, err := Verify(dir, VerifyOptions{Complete: true, Strict: true})
	if err != nil || report.Seals != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	got, err := verifyTranscript(bytes.NewReader(readAll(t, cast)))
	if err != nil || got.Head != sum.Head {
		t.Errorf("%+v, %v", got, err)
	}
	var kinds []string
	for e, err := range Entries(dir, Filter{}) {
		must(t, err)
		kinds = append(kinds, e.Kind)
	}
	if want := "exec.intent exec.start rec.gap seal rec.close exec.end"; strings.Join(kinds,
		" ") != want {
		t.Errorf("entries %v, want %s", kinds, want)
	}
}

// A disk that is full while many transcripts are packed: all of them stay, what fits is packed, and
// the error is one and not one for each.
func TestPackingOnAFullDisk(t *testing.T) {
	if os.Getenv("AUDIT_TEST_NAMESPACE") == "" {
		inNamespace(t)
		return
	}
	mnt, fill, free := small(t, "5m")
	var names []string
	for n := range 20 {
		names = append(names, filepath.Join(mnt, fmt.Sprintf("%02d.cast", n)))
		sample(t, names[n])
	}
	fill()
	done, err := PackFolder(t.Context(), mnt, nil, packing)
	if !errors.Is(err, unix.ENOSPC) || done.Files > 0 ||
		!strings.HasSuffix(err.Error(), "no space to pack 19 more transcripts") ||
		strings.Count(err.Error(), "\n") > 1 {
		t.Errorf("%+v, %v", done, err)
	}
	free()
	done, err = PackFolder(t.Context(), mnt, nil, packing)
	if err != nil || done.Files != len(names) {
		t.Errorf("with room again: %+v, %v", done, err)
	}
	for _, name := range names {
		f, err := OpenTranscript(name, packing)
		must(t, err)
		if _, err := verifyTranscript(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		must(t, f.Close())
	}
}

// Bad input: what is in the way is named, none of it is overwritten, and nothing hangs or panics.
func TestThingsInTheWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		put  func(dir string) error
		want error
	}{
		"FIFO for the log":    {func(d string) error { return fifo(d, logName) }, ErrUnsafe},
		"FIFO for the anchor": {func(d string) error { return fifo(d, anchorName) }, ErrUnsafe},
		"link for a segment": {func(d string) error {
			return os.Symlink("/etc/passwd", filepath.Join(d, segmentName(1)))
		}, ErrUnsafe},
		"folder for a segment": {func(d string) error {
			return os.Mkdir(filepath.Join(d, segmentName(1)), 0o700)
		}, ErrUnsafe},
		"link for the seal's key": {func(d string) error {
			return os.Symlink("/etc/passwd", filepath.Join(d, sealKeyName))
		}, ErrUnsafe},
	} {
		dir := fill(t, 3)
		must(t, c.put(dir))
		if _, err := Verify(dir, VerifyOptions{}); !errors.Is(err, c.want) {
			t.Errorf("%s: verify: %v", name, err)
		}
		l, err := OpenLog(dir, LogOptions{Now: tick(), BootID: testBoot, MinFree: 1})
		if err == nil {
			l.rotateAt = 1
			if _, err = l.Seal(rand.Reader); err == nil {
				_, err = l.Append("k", []byte(`{}`), Lazy)
			}
			l.Close()
		}
		if err != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// From the future: a transcript, a clock.
	if _, err := NewReader("a",
		strings.NewReader(`{"version":9,"term":{"cols":1,"rows":1}}`+"\n")); err == nil ||
		!strings.Contains(err.Error(), "9") {
		t.Errorf("a transcript from the future: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "audit")
	l, err := OpenLog(dir, LogOptions{Now: func() time.Time {
		return time.Date(2126, 1, 1, 0, 0, 0, 0, time.UTC)
	}, BootID: testBoot, MinFree: 1})
	must(t, err)
	mustAppend(t, l, "k", `{}`)
	must(t, l.Close())
	mustAppend(t, openTest(t, dir), "k", `{}`)
	if r := mustVerify(t, dir); r.Entries != 3 {
		t.Errorf("a clock that was a century ahead: %+v", r)
	}
}

func fifo(dir, name string) error {
	path := filepath.Join(dir, name)
	return errors.Join(os.Remove(path), unix.Mkfifo(path, 0o600))
}
