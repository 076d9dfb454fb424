package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func openMarked(t *testing.T, dir, file string) *Log {
	t.Helper()
	l, err := OpenLog(dir, LogOptions{Now: tick(), BootID: testBoot, MinFree: 1, Mark: file})
	must(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

// With a mark outside the folder, a folder that was deleted or replaced by an older copy is not a
// first run, for writers and for Verify.
func TestMark(t *testing.T) {
	t.Parallel()
	remove := func(dir string, _ []byte) { os.RemoveAll(dir) }
	for name, spoil := range map[string]func(dir string, old []byte){
		"folder deleted": remove,
		"files deleted": func(dir string, _ []byte) {
			os.Remove(filepath.Join(dir, logName))
			os.Remove(filepath.Join(dir, anchorName))
		},
		"older copy": func(dir string, old []byte) {
			must(t, os.WriteFile(filepath.Join(dir, logName), old[anchorSize:], 0o600))
			must(t, os.WriteFile(filepath.Join(dir, anchorName), old[:anchorSize], 0o600))
		},
		"another log as long": func(dir string, _ []byte) {
			os.RemoveAll(dir)
			l := openTest(t, dir)
			for i := range 12 {
				mustAppend(t, l, "test.entry", fmt.Sprintf(`{"j":%d}`, i))
			}
		},
	} {
		root := t.TempDir()
		dir, file := filepath.Join(root, "audit"), filepath.Join(root, "mark")
		l := openMarked(t, dir, file)
		mustAppend(t, l, "k", `{}`)
		old := append(readAll(t, filepath.Join(dir, anchorName)), readLog(t, dir)...)
		for i := range 9 {
			_, err := l.Append("k", fmt.Appendf(nil, `{"i":%d}`, i), Durable)
			must(t, err)
		}
		if _, err := Verify(dir, VerifyOptions{Mark: file}); err != nil {
			t.Fatalf("%s: before: %v", name, err)
		}
		mustAppend(t, openMarked(t, dir, file), "k", `{}`)
		must(t, l.Close())
		spoil(dir, old)
		var bad *BadEntry
		if _, err := Verify(dir, VerifyOptions{Mark: file}); !errors.As(err, &bad) {
			t.Errorf("%s: verify: %v", name, err)
		}
		again := openMarked(t, dir, file)
		var tampered *TamperError
		if _, err := again.Append("k", []byte(`{}`), Durable); !errors.As(err, &tampered) {
			t.Errorf("%s: append: %v", name, err)
		}
		if _, err := again.Accept("uid 1000", "a new disk"); err != nil {
			t.Errorf("%s: accept: %v", name, err)
		}
		mustAppend(t, openMarked(t, dir, file), "k", `{}`)
		if _, err := Verify(dir, VerifyOptions{Mark: file}); err != nil {
			t.Errorf("%s: accepted: %v", name, err)
		}
	}
}

// No byte of a mark can be changed unnoticed, and a changed mark is not taken for one that never
// existed: Append and Verify both refuse.
func TestMarkEveryByte(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, "mark")
	l := openMarked(t, filepath.Join(root, "audit"), file)
	_, err := l.Append("k", []byte(`{}`), Durable)
	must(t, err)
	good := readAll(t, file)
	if m, err := readMark(file); err != nil || m.Count != 1 || m.state != markWhole {
		t.Fatalf("%+v, %v", m, err)
	}
	for i := range good {
		b := bytes.Clone(good)
		b[i] ^= 1
		must(t, os.WriteFile(file, b, 0o600))
		if m, err := readMark(file); err != nil || m != (mark{state: markBad}) {
			t.Errorf("byte %d changed: %+v, %v", i, m, err)
		}
	}
	must(t, os.Remove(file))
	must(t, os.Symlink("elsewhere", file))
	if _, err := readMark(file); !errors.Is(err, ErrUnsafe) {
		t.Errorf("a link: %v", err)
	}
}

func TestParsePoint(t *testing.T) {
	p := Point{17, Genesis()}
	if got, err := ParsePoint(p.String()); err != nil || got != p {
		t.Errorf("%v, %v", got, err)
	}
	for _, s := range []string{"", "17", ":", "x:" + Genesis().String(), "-1:" + Genesis().String(),
		"017:" + Genesis().String(), "1:" + strings.ToUpper(Genesis().String()), "1:00"} {
		if p, err := ParsePoint(s); err == nil {
			t.Errorf("%q: %v", s, p)
		}
	}
}

// A run whose process was killed gets its end from the next one; a run that is alive, or that
// recorded its end, does not.
func TestOrphans(t *testing.T) {
	t.Parallel()
	dir := fill(t, 1)
	l := openNow(t, dir)
	if list, err := l.Orphans(); err != nil || len(list) != 0 {
		t.Fatalf("%v, %v", list, err)
	}
	lives, err := l.Begin("lives")
	must(t, err)
	if _, err := l.Begin("lives"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("begun twice: %v", err)
	}
	mustAppend(t, l, KindIntent, `{"sid":"lives"}`)
	for _, sid := range []string{"../x", "", ".x", "a/b", strings.Repeat("x", 65)} {
		if _, err := l.Begin(sid); !errors.Is(err, ErrUnsafe) {
			t.Errorf("begin %q: %v", sid, err)
		}
	}
	for _, c := range []string{"announced", "started", "ended", "nothing"} {
		if err := run(t, "run", dir, c).Run(); !killed(err) {
			t.Fatalf("%s: %v", c, err)
		}
	}
	list, err := openNow(t, dir).Orphans()
	if err != nil || len(list) != 2 {
		t.Errorf("orphans %v, %v", list, err)
	}
	var got []string
	for e, err := range Entries(dir, Filter{Kinds: []string{KindOrphan}}) {
		must(t, err)
		got = append(got, string(e.Body))
	}
	text := strings.Join(got, " ")
	if len(got) != 2 || !strings.Contains(text, `{"sid":"announced","started":false}`) ||
		!strings.Contains(text, `{"sid":"started","started":true}`) {
		t.Errorf("told %v", got)
	}
	must(t, lives.End())
	if list, err := l.Orphans(); err != nil || len(list) != 0 {
		t.Errorf("again: %v, %v", list, err)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, runningName)); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// Runs that begin while others look for lost ones are neither refused nor reported as lost.
func TestBeginAmongOrphans(t *testing.T) {
	t.Parallel()
	dir := fill(t, 1)
	var wg sync.WaitGroup
	for w := range 8 {
		l := openNow(t, dir)
		wg.Go(func() {
			for i := range 100 {
				sid := fmt.Sprintf("run-%d-%d", w, i)
				if lost, err := l.Orphans(); err != nil || len(lost) != 0 {
					t.Errorf("lost %v, %v", lost, err)
				}
				r, err := l.Begin(sid)
				if err != nil {
					t.Error(err)
					return
				}
				if err := r.End(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// A mark that is removed while it is being checked is missing, not tampered with: for a moment a
// file has no name left and can still be found by it.
func TestFit(t *testing.T) {
	uid := uint32(os.Geteuid())
	good := unix.Stat_t{Dev: 1, Ino: 2, Nlink: 1, Mode: unix.S_IFREG | 0o600, Uid: uid}
	with := func(change func(*unix.Stat_t)) *unix.Stat_t { st := good; change(&st); return &st }
	for _, test := range []struct {
		name        string
		open, named *unix.Stat_t
		there       bool
		want        error
	}{
		{"as it must be", &good, &good, true, nil},
		{"gone", &good, &good, false, errMoved},
		{"going", with(func(st *unix.Stat_t) { st.Nlink = 0 }), &good, true, errMoved},
		{"replaced", &good, with(func(st *unix.Stat_t) { st.Ino = 3 }), true, errMoved},
		{"on another file system", &good, with(func(st *unix.Stat_t) { st.Dev = 3 }), true,
			errMoved},
		{"two names", with(func(st *unix.Stat_t) { st.Nlink = 2 }), &good, true, ErrUnsafe},
		{"another's", with(func(st *unix.Stat_t) { st.Uid = uid + 1 }), &good, true, ErrUnsafe},
		{"open to others", with(func(st *unix.Stat_t) { st.Mode |= 0o040 }), &good, true,
			ErrUnsafe},
		{"a pipe", with(func(st *unix.Stat_t) { st.Mode = unix.S_IFIFO | 0o600 }), &good, true,
			ErrUnsafe},
	} {
		if err := fit("mark", test.open, test.named, test.there); !errors.Is(err, test.want) ||
			(err == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}
