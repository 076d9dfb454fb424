package audit

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// fillSegments makes a log of n entries in files of about size bytes, sealed now and then.
func fillSegments(t testing.TB, n int, size int64) (dir, pin string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	l.rotateAt = size
	for i := range n {
		mustAppend(t, l, "test.entry", fmt.Sprintf(`{"i":%d}`, i))
		if i%10 == 9 {
			e, err := l.Seal(rand.Reader)
			must(t, err)
			if pin == "" {
				var b sealBody
				b, _ = checkSeal(e)
				pin = b.Key
			}
		}
	}
	return dir, pin
}

func segmentFiles(t testing.TB, dir string) (names []string) {
	t.Helper()
	for _, pattern := range []string{"log*.jsonl", "pruned.*"} {
		m, err := filepath.Glob(filepath.Join(dir, pattern))
		must(t, err)
		for _, f := range m {
			names = append(names, filepath.Base(f))
		}
	}
	return names
}

// A log in many files is one log: entries, seals, proofs, heads, and what is done to it, are as in
// one file.
func TestSegments(t *testing.T) {
	t.Parallel()
	dir, pin := fillSegments(t, 60, 2000)
	if n := len(segmentFiles(t, dir)); n < 6 {
		t.Fatalf("only %d segments", n)
	}
	for _, workers := range []int{1, 3} {
		r, err := Verify(dir, VerifyOptions{SealKey: pin, Workers: workers})
		must(t, err)
		if r.Entries != 66 || r.Seals != 6 || r.NotAnchored != 0 || len(r.Gaps) != 0 ||
			r.Segments != len(segmentFiles(t, dir)) {
			t.Errorf("%+v", r)
		}
	}
	n := int64(0)
	for e, err := range Entries(dir, Filter{}) {
		must(t, err)
		if e.Seq != n {
			t.Fatalf("entry %d comes as number %d", e.Seq, n)
		}
		n++
	}
	if n != 66 {
		t.Errorf("%d entries read", n)
	}
	signer, known := testKey(t)
	signed, err := Checkpoint(dir, VerifyOptions{}, signer)
	must(t, err)
	for _, seq := range []int64{0, 30, 65} {
		proof, err := Prove(dir, VerifyOptions{}, seq, signed, known)
		must(t, err)
		e, err := CheckProof(proof, known)
		if err != nil || e.Seq != seq {
			t.Errorf("proof of %d: %+v, %v", seq, e, err)
		}
	}
}

// B-T6 over segments: any byte of any file changed, a file cut, emptied or removed: the entry is
// named, with its file.
func TestSegmentsTampered(t *testing.T) {
	t.Parallel()
	dir, _ := fillSegments(t, 24, 1500)
	files := segmentFiles(t, dir)
	for _, name := range files {
		path := filepath.Join(dir, name)
		good := readAll(t, path)
		for i := 0; i < len(good); i += 7 {
			b := bytes.Clone(good)
			b[i] ^= 1
			must(t, os.WriteFile(path, b, 0o600))
			bad := named(t, dir)
			line := int64(bytes.Count(good[:i], newline)) + 1
			if bad == nil || bad.File != name || bad.Line != line {
				t.Errorf("%s byte %d (line %d) changed: named %v", name, i, line, bad)
			}
		}
		for _, n := range []int{0, 1, len(good) / 2, len(good) - 1} {
			must(t, os.WriteFile(path, good[:n], 0o600))
			if bad := named(t, dir); bad == nil {
				t.Errorf("%s cut to %d bytes: verified", name, n)
			}
		}
		must(t, os.Remove(path))
		if bad := named(t, dir); bad == nil {
			t.Errorf("%s removed: verified", name)
		} else if name != files[len(files)-1] && !strings.Contains(bad.Reason, "missing") &&
			name != logName {
			t.Errorf("%s removed: named %v", name, bad)
		}
		want := []string{name}
		if name == slices.Max(slices.DeleteFunc(slices.Clone(files),
			func(f string) bool { return f == logName })) {
			want = nil // nothing says that there was more
		}
		if missing, err := Missing(dir); err != nil || !slices.Equal(missing, want) {
			t.Errorf("%s removed: missing are %q, %v", name, missing, err)
		}
		must(t, os.WriteFile(path, good, 0o600))
	}
	extra := filepath.Join(dir, segmentName(99))
	must(t, os.WriteFile(extra, []byte("{}\n"), 0o600))
	if named(t, dir) == nil {
		t.Error("a foreign segment behind the last: verified")
	}
}

// What a person accepts in a log of many files: the chain goes on, and the rest is reported as a
// gap.
func TestSegmentsAccept(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(dir string){
		"first removed": func(d string) { os.Remove(filepath.Join(d, logName)) },
		"one removed":   func(d string) { os.Remove(filepath.Join(d, segmentName(2))) },
		"last removed": func(d string) {
			n := lastOf(t, d)
			os.Remove(filepath.Join(d, segmentName(n)))
		},
		"all removed": func(d string) {
			for _, f := range segmentFiles(t, d) {
				os.Remove(filepath.Join(d, f))
			}
		},
		"one changed": func(d string) {
			os.WriteFile(filepath.Join(d, segmentName(1)), []byte("{}\n"), 0o600)
		},
		"anchor removed": func(d string) { os.Remove(filepath.Join(d, anchorName)) },
		"first and anchor removed": func(d string) {
			os.Remove(filepath.Join(d, logName))
			os.Remove(filepath.Join(d, anchorName))
		},
	} {
		dir, _ := fillSegments(t, 24, 1500)
		spoil(dir)
		if named(t, dir) == nil {
			t.Errorf("%s: verified", name)
		}
		l := openTest(t, dir)
		l.rotateAt = 1500
		if _, err := l.Accept("uid 1000", "seen"); err != nil {
			t.Errorf("%s: accept: %v", name, err)
			continue
		}
		for range 30 {
			mustAppend(t, l, "k", `{}`)
		}
		if r, err := Verify(dir, VerifyOptions{}); err != nil || len(r.Gaps) != 1 {
			t.Errorf("%s, accepted: %+v, %v", name, r, err)
		}
	}
}

func lastOf(t *testing.T, dir string) int64 {
	s, err := openSegments(dir, Codec{})
	must(t, err)
	defer s.Close()
	n, _ := s.last()
	return n
}

// Old segments are removed, and everything that was proven stays so: the chain of seals from the
// pinned key, checkpoints, proofs, heads.
func TestPrune(t *testing.T) {
	t.Parallel()
	dir, pin := fillSegments(t, 60, 2000)
	signer, known := testKey(t)
	signed, err := Checkpoint(dir, VerifyOptions{}, signer)
	must(t, err)
	proof, err := Prove(dir, VerifyOptions{}, 3, signed, known)
	must(t, err)
	var points []Point
	for e, err := range Entries(dir, Filter{}) {
		must(t, err)
		points = append(points, Point{e.Seq + 1, e.Hash})
	}
	check := func(step string, pruned bool) Report {
		t.Helper()
		r, err := verifyCheckpoint(dir, VerifyOptions{SealKey: pin, Remember: points}, signed,
			known)
		if err != nil || (r.Pruned > 0) != pruned || r.Seals != 6 {
			t.Errorf("%s: %+v, %v", step, r, err)
		}
		if e, err := CheckProof(proof, known); err != nil || e.Seq != 3 {
			t.Errorf("%s: proof: %v", step, err)
		}
		return r
	}
	l := openTest(t, dir)
	l.rotateAt = 2000
	if n, _, err := l.Prune(Retention{}, "nothing", nil); n != 0 || err != nil {
		t.Errorf("no limit: %d, %v", n, err)
	}
	before := len(segmentFiles(t, dir))
	for step, limit := range []int64{9000, 5000, 1} {
		n, size, err := l.Prune(Retention{MaxBytes: limit}, "quota", nil)
		if err != nil || n == 0 || size == 0 {
			t.Errorf("step %d: %d entries, %d bytes, %v", step, n, size, err)
		}
		r := check(fmt.Sprint("pruned to ", limit), true)
		if r.Entries != int64(67+step) {
			t.Errorf("step %d: %+v", step, r)
		}
		mustProveRest(t, dir, r)
	}
	if now := segmentFiles(t, dir); len(now) >= before || len(now) != 2 && len(now) != 3 {
		t.Errorf("left: %v", now)
	}
	// A forged memory of removed entries is detected.
	memory, err := filepath.Glob(filepath.Join(dir, "pruned.*"))
	must(t, err)
	good := readAll(t, memory[0])
	for i := 0; i < len(good); i += 11 {
		b := bytes.Clone(good)
		b[i] ^= 1
		must(t, os.WriteFile(memory[0], b, 0o600))
		if bad := named(t, dir); bad == nil {
			t.Errorf("byte %d of %s changed: verified", i, memory[0])
		}
	}
	must(t, os.Remove(memory[0]))
	if bad := named(t, dir); bad == nil {
		t.Error("without the memory: verified")
	}
}

// mustProveRest proves a remaining entry, with a new checkpoint.
func mustProveRest(t *testing.T, dir string, r Report) {
	t.Helper()
	signer, known := testKey(t)
	signed, err := Checkpoint(dir, VerifyOptions{}, signer)
	must(t, err)
	proof, err := Prove(dir, VerifyOptions{}, r.Entries-1, signed, known)
	must(t, err)
	if e, err := CheckProof(proof, known); err != nil || e.Hash != r.Head {
		t.Errorf("the last entry: %+v, %v", e, err)
	}
}

// By age; and what vouches for an existing transcript stays.
func TestPruneByAgeAndNeed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l, err := OpenLog(dir, LogOptions{Now: func() time.Time { return at }, BootID: testBoot,
		MinFree: 1})
	must(t, err)
	defer l.Close()
	l.rotateAt = 1
	for range 10 {
		at = at.Add(24 * time.Hour)
		mustAppend(t, l, "k", `{}`)
		mustAppend(t, l, KindClose, `{"bytes":0,"count":0,"head":"","sid":"s`+
			strconv.Itoa(at.Day())+`"}`)
	}
	needed := func(sid string) bool { return sid == "s5" }
	n, _, err := l.Prune(Retention{MaxAge: 4 * 24 * time.Hour}, "", needed)
	if err != nil || n != 7 { // days 2, 3, 4, and the k of 5
		t.Errorf("%d entries pruned, want 7: %v", n, err)
	}
	n, _, err = l.Prune(Retention{MaxAge: 4 * 24 * time.Hour}, "", nil)
	if err != nil || n != 3 { // to the end of the 6th
		t.Errorf("%d entries pruned, want 3: %v", n, err)
	}
	if r := mustVerify(t, dir); r.Pruned != 10 {
		t.Errorf("%+v", r)
	}
}

// After a kill at any step of a rotation or a pruning, the log verifies and goes on.
func TestRotateAndPruneKilled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ job, step string }{
		{"rotate", "segment created"}, {"rotate", "rotated"}, {"rotate", "write"},
		{"rotate", "written"},
		{"prune", "pruned listed"}, {"prune", "written"}, {"prune", "pruned told"},
		{"prune", "segment removed"},
	} {
		dir, pin := fillSegments(t, 24, 1500)
		if err := run(t, c.job, dir, c.step).Run(); !killed(err) {
			t.Fatalf("%s at %q: %v", c.job, c.step, err)
		}
		if _, err := Verify(dir, VerifyOptions{SealKey: pin}); err != nil {
			t.Errorf("%s killed at %q: %v", c.job, c.step, err)
		}
		l := openNow(t, dir)
		l.rotateAt = 1500
		for range 12 {
			mustAppend(t, l, "after", `{}`)
		}
		if _, _, err := l.Prune(Retention{MaxBytes: 1}, "again", nil); err != nil {
			t.Errorf("%s killed at %q, then pruned: %v", c.job, c.step, err)
		}
		r, err := Verify(dir, VerifyOptions{SealKey: pin})
		if err != nil || r.Pruned == 0 || len(r.Gaps) != 0 {
			t.Errorf("%s killed at %q, then pruned: %+v, %v", c.job, c.step, r, err)
		}
	}
}

// Many processes rotate at once, while one prunes: still one chain.
func TestManyProcessesRotate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	done := make(chan error, 8)
	for w := range 8 {
		c := run(t, "many small", dir, strconv.Itoa(w), "150")
		go func() { done <- c.Run() }()
	}
	for left := 8; left > 0; {
		select {
		case err := <-done:
			must(t, err)
			left--
		default:
			l := openNow(t, dir)
			if _, _, err := l.Prune(Retention{MaxBytes: 40_000}, "meanwhile", nil); err != nil &&
				!errors.Is(err, fs.ErrNotExist) {
				t.Errorf("prune: %v", err)
			}
			must(t, l.Close())
			if _, err := Verify(dir, VerifyOptions{}); err != nil &&
				!errors.Is(err, fs.ErrNotExist) {
				t.Errorf("verify: %v", err)
			}
		}
	}
	// once more: on some machines all writers may have ended before the first look found enough to
	// prune
	l := openNow(t, dir)
	_, _, err := l.Prune(Retention{MaxBytes: 40_000}, "afterwards", nil)
	must(t, errors.Join(err, l.Close()))
	r := mustVerify(t, dir)
	if r.Entries < 1200 || r.Pruned == 0 || len(r.Gaps) != 0 {
		t.Errorf("%+v", r)
	}
}

func writeFile(name string, b []byte) error { return os.WriteFile(name, b, 0o600) }

// writeTo appends to the current segment, like a process that dies in the middle of it.
func writeTo(t *testing.T, dir, text string) {
	t.Helper()
	n := lastOf(t, dir)
	f, err := os.OpenFile(filepath.Join(dir, segmentName(n)), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	defer f.Close()
	_, err = f.WriteString(text)
	must(t, err)
}
