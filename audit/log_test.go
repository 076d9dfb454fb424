package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
)

const testBoot = "11111111-2222-3333-4444-555555555555"

// stride is the distance between the bytes that a test changes or cuts at: with -short every tenth,
// otherwise every one.
func stride() int {
	if testing.Short() {
		return 10
	}
	return 1
}

// tick returns a clock that advances one millisecond per reading.
func tick() func() time.Time {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time { at = at.Add(time.Millisecond); return at }
}

func openTest(t testing.TB, dir string) *Log {
	t.Helper()
	l, err := OpenLog(dir, LogOptions{Now: tick(), BootID: testBoot, MinFree: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// fill makes a log of n entries and returns its folder.
func fill(t testing.TB, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	for i := range n {
		mustAppend(t, l, "test.entry", fmt.Sprintf(`{"i":%d}`, i))
	}
	return dir
}

func mustAppend(t testing.TB, l *Log, kind, body string) Entry {
	t.Helper()
	e, err := l.Append(kind, []byte(body), Lazy)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func mustVerify(t testing.TB, dir string) Report {
	t.Helper()
	r, err := Verify(dir, VerifyOptions{})
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	return r
}

func readLog(t testing.TB, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, logName))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeLog(t testing.TB, dir string, b []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, logName), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// B-R4.3: every entry has the SHA-256 of the canonical entry before it, the first that of the
// genesis text; verify walks 10,000 entries.
func TestChain(t *testing.T) {
	if got := Genesis().String(); !strings.HasPrefix(got, "fc1cf8e4cb82dcc5b634") {
		t.Fatalf("genesis is %s", got)
	}
	dir := fill(t, 10_000)
	prev := Genesis().String()
	for i, line := range bytes.Split(bytes.TrimSpace(readLog(t, dir)), []byte("\n")) {
		var e struct {
			Body map[string]any
			Kind string
			Prev string
			Seq  int
			Time string
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.Prev != prev || e.Seq != i {
			t.Fatalf("line %d: seq %d, prev %s, want %s", i+1, e.Seq, e.Prev, prev)
		}
		prev = fmt.Sprintf("%x", sha256.Sum256(line))
	}
	if r := mustVerify(t, dir); r.Entries != 10_000 || r.Head.String() != prev || r.Slots != 2 {
		t.Fatalf("report %+v", r)
	}
}

// B-R4.4: line bytes re-encode to themselves: keys sorted, no space, ASCII.
func TestLineIsCanonical(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	e := mustAppend(t, l, "exec.intent", `{"a":"\u00e9\ud83d\ude00\u007f<>&","b":[1,-2,true,null]}`)
	want := `{"body":{"a":"\u00e9\ud83d\ude00\u007f<>&","b":[1,-2,true,null]},"kind":"exec.intent","prev":"` +
		Genesis().String() + `","seq":0,"time":"2026-03-01T12:00:00.001000Z"}` + "\n"
	got := string(readLog(t, dir))
	if got != want {
		t.Errorf("line\n%swant\n%s", got, want)
	}
	if err := checkObject([]byte(strings.TrimSuffix(got, "\n"))); err != nil {
		t.Errorf("the whole line is not canonical: %v", err)
	}
	if e.Hash != sha256.Sum256([]byte(strings.TrimSuffix(want, "\n"))) || e.Seq != 0 ||
		e.Offset != 0 {
		t.Errorf("entry %+v", e)
	}
}

func TestAppendRefuses(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "audit"))
	long := `{"a":"` + strings.Repeat("x", MaxLine) + `"}`
	for _, c := range []struct {
		kind, body string
		want       error
	}{
		{"", `{}`, ErrKind},
		{"Kind", `{}`, ErrKind},
		{"a b", `{}`, ErrKind},
		{strings.Repeat("k", 33), `{}`, ErrKind},
		{"recover", `{}`, ErrKind},
		{"accept", `{}`, ErrKind},
		{"clock", `{}`, ErrKind},
		{"k", ``, ErrBody},
		{"k", `[]`, ErrBody},
		{"k", `{"a": 1}`, ErrBody},
		{"k", `{"b":1,"a":1}`, ErrBody},
		{"k", "{}\n", ErrBody},
		{"k", long, ErrTooLong},
	} {
		if _, err := l.Append(c.kind, []byte(c.body), Lazy); !errors.Is(err, c.want) {
			t.Errorf("append %q %.20q: %v, want %v", c.kind, c.body, err, c.want)
		}
	}
	mustAppend(t, l, "k", long[:MaxLine-300]+`"}`)
}

// What holds on the machine is in each body, unless that has its own; with it, too, a body has its
// limit.
func TestPolicies(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	l.opts.Policies = []string{"base@7", "ci@1"}
	for body, want := range map[string]string{
		`{}`:                       `{"policies":["base@7","ci@1"]}`,
		`{"a":1,"z":"\u00e9"}`:     `{"a":1,"policies":["base@7","ci@1"],"z":"\u00e9"}`,
		`{"policies":["base@6"]}`:  `{"policies":["base@6"]}`,
		`{"a":{"policies":"own"}}`: `{"a":{"policies":"own"},"policies":["base@7","ci@1"]}`,
	} {
		if e := mustAppend(t, l, "k", body); string(e.Body) != want {
			t.Errorf("%s, not %s", e.Body, want)
		}
	}
	long := `{"a":"` + strings.Repeat("x", MaxLine-266) + `"}`
	if _, err := l.Append("k", []byte(long), Lazy); !errors.Is(err, ErrTooLong) {
		t.Errorf("%d bytes: %v", len(long), err)
	}
	mustVerify(t, dir)
}

// B-R4.6: the anchor has the head after every entry, so also after every hundredth and at the end;
// a log cut before it is reported.
func TestAnchor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	for i := range 250 {
		e := mustAppend(t, l, "k", `{}`)
		if n := i + 1; n%100 == 0 || n == 250 {
			raw, err := os.ReadFile(filepath.Join(dir, anchorName))
			if err != nil {
				t.Fatal(err)
			}
			var slots []map[string]any
			if err := json.Unmarshal(raw, &slots); err != nil || len(slots) != 2 {
				t.Fatalf("anchor is not an array of two: %v\n%s", err, raw)
			}
			newest := slots[0]
			if slots[1]["turn"].(float64) > newest["turn"].(float64) {
				newest = slots[1]
			}
			if newest["head"] != e.Hash.String() || int(newest["count"].(float64)) != n ||
				newest["time"] != stampOf(e.Time).String() {
				t.Fatalf("after %d entries the anchor says %v", n, newest)
			}
		}
	}
	whole := readLog(t, dir)
	writeLog(t, dir, whole[:bytes.LastIndexByte(whole[:len(whole)-1], '\n')+1])
	var bad *BadEntry
	if _, err := Verify(dir, VerifyOptions{}); !errors.As(err, &bad) || bad.Seq != 249 ||
		!strings.Contains(bad.Reason, "cut") {
		t.Fatalf("verify of a cut log: %v", err)
	}
	var tampered *TamperError
	if _, err := l.Append("k", []byte(`{}`), Lazy); !errors.As(err, &tampered) {
		t.Fatalf("append to a cut log: %v", err)
	}
}

// B-R4.2: nothing in the package cuts or renames a file; the log is opened
// for appending only.
func TestAppendOnlySources(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	forbidden := regexp.MustCompile(`(?i)\b\w*truncate\(|\brename(at2?)?\(|O_TRUNC`)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if m := forbidden.Find(src); m != nil {
			t.Errorf("%s uses %s: the record only grows", name, m)
		}
	}
	if openLogFlags&os.O_APPEND == 0 {
		t.Error("the log is not opened with O_APPEND")
	}
}

func TestOpenRefusesUnsafe(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"folder open to others": func(d string) error { return hermetic.Chmod(d, 0o750) },
		"log open to others": func(d string) error {
			return os.Chmod(filepath.Join(d, logName), 0o644)
		},
		"anchor open to others": func(d string) error {
			return os.Chmod(filepath.Join(d, anchorName), 0o620)
		},
		"second name": func(d string) error {
			return os.Link(filepath.Join(d, logName), filepath.Join(d, "other"))
		},
		"link for log":    func(d string) error { return linkFor(d, logName) },
		"link for anchor": func(d string) error { return linkFor(d, anchorName) },
		"link for lock":   func(d string) error { return linkFor(d, lockName) },
		"folder for log": func(d string) error {
			os.Remove(filepath.Join(d, logName))
			return os.Mkdir(filepath.Join(d, logName), 0o700)
		},
	} {
		dir := fill(t, 3)
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		if l, err := OpenLog(dir, LogOptions{Now: time.Now, BootID: testBoot}); err == nil {
			l.Close()
			t.Errorf("%s: opened", name)
		} else if !errors.Is(err, ErrUnsafe) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if os.Geteuid() == 0 {
		dir := fill(t, 3)
		if err := os.Chown(filepath.Join(dir, logName), 65534, 65534); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenLog(dir, LogOptions{Now: time.Now}); !errors.Is(err, ErrUnsafe) {
			t.Errorf("log of another user: %v", err)
		}
	}
}

func linkFor(dir, name string) error {
	path := filepath.Join(dir, name)
	if err := os.Rename(path, path+".real"); err != nil {
		return err
	}
	return os.Symlink(name+".real", path)
}

// A writer follows the name: it must not continue in a file that was moved away.
func TestReplacedWhileOpen(t *testing.T) {
	dir := fill(t, 3)
	l := openTest(t, dir)
	path := filepath.Join(dir, logName)
	same := readLog(t, dir)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	writeLog(t, dir, same)
	mustAppend(t, l, "k", `{}`)
	if r := mustVerify(t, dir); r.Entries != 4 {
		t.Fatalf("%d entries", r.Entries)
	}
	if err := os.Rename(path, path+".old2"); err != nil {
		t.Fatal(err)
	}
	var tampered *TamperError
	if _, err := l.Append("k", []byte(`{}`), Durable); !errors.As(err, &tampered) {
		t.Fatalf("append without a log: %v", err)
	}
}

// The clock may jump; times in the file go back only with an entry that says so.
func TestClockSetBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	at := time.Date(2026, 1, 1, 0, 0, 10, 0, time.UTC)
	l, err := OpenLog(dir, LogOptions{Now: func() time.Time { return at }, BootID: testBoot})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	mustAppend(t, l, "k", `{}`)
	at = at.Add(-500 * time.Millisecond)
	mustAppend(t, l, "k", `{}`)
	at = at.Add(-time.Hour)
	mustAppend(t, l, "k", `{}`)
	mustVerify(t, dir)
	var kinds, times []string
	for _, line := range strings.Split(strings.TrimSpace(string(readLog(t, dir))), "\n") {
		f, _ := splitLine([]byte(line))
		kinds, times = append(kinds, string(f.kind)), append(times, string(f.time)[11:19])
	}
	if !slices.Equal(kinds, []string{"k", "k", "clock", "k"}) ||
		!slices.Equal(times, []string{"00:00:10", "00:00:10", "23:00:09", "23:00:09"}) {
		t.Fatalf("kinds %v, times %v", kinds, times)
	}
}

// What a person accepts stays in the file as evidence, and the chain goes on.
func TestAccept(t *testing.T) {
	for name, spoil := range map[string]func(dir string, b []byte){
		"changed in the middle": func(d string, b []byte) { b[len(b)/2] ^= 1; writeLog(t, d, b) },
		"cut":                   func(d string, b []byte) { writeLog(t, d, b[:len(b)/2]) },
		"cut at a line": func(d string,
			b []byte) {
			writeLog(t, d, b[:bytes.IndexByte(b, '\n')+1])
		},
		"emptied": func(d string, _ []byte) { writeLog(t, d, nil) },
		"removed": func(d string, _ []byte) { os.Remove(filepath.Join(d, logName)) },
		"foreign line": func(d string,
			b []byte) {
			writeLog(t, d, append(b, "hello\n"...))
		},
		"anchor spoilt": func(d string,
			_ []byte) {
			os.WriteFile(filepath.Join(d, anchorName), []byte("{}"), 0o600)
		},
		"anchor removed": func(d string,
			_ []byte) {
			os.Remove(filepath.Join(d, anchorName))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := fill(t, 10)
			spoil(dir, readLog(t, dir))
			if _, err := Verify(dir, VerifyOptions{}); err == nil {
				t.Fatal("verified before it was accepted")
			}
			l := openTest(t, dir)
			if _, err := l.Append("k", []byte(`{}`), Lazy); err == nil &&
				name != "changed in the middle" {
				t.Error("appended before it was accepted")
			}
			e, err := l.Accept("uid 1000", "it was me, «quoted»")
			if err != nil {
				t.Fatal(err)
			}
			mustAppend(t, l, "k", `{}`)
			r := mustVerify(t, dir)
			if len(r.Gaps) != 1 || r.Gaps[0].Kind != "accept" ||
				r.Gaps[0].Reason != "it was me, «quoted»" || e.Kind != "accept" {
				t.Fatalf("gaps %+v, entry %+v", r.Gaps, e)
			}
			if _, err := l.Accept("uid 1000", "again"); err == nil {
				t.Error("accepted a good log")
			}
		})
	}
}

func TestVerifyWithoutLog(t *testing.T) {
	if _, err := Verify(t.TempDir(), VerifyOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no log: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "audit")
	openTest(t, dir)
	if r := mustVerify(t, dir); r.Entries != 0 || r.Head != Genesis() {
		t.Errorf("empty log: %+v", r)
	}
}

// With a key, an anchor that was written without it is rejected.
func TestAnchorKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	open := func(key string) *Log {
		l, err := OpenLog(dir, LogOptions{Now: tick(), BootID: testBoot, Key: []byte(key)})
		must(t, err)
		t.Cleanup(func() { l.Close() })
		return l
	}
	mustAppend(t, open("secret"), "k", `{}`)
	if _, err := Verify(dir, VerifyOptions{Key: []byte("secret")}); err != nil {
		t.Error(err)
	}
	var bad *BadEntry
	if _, err := Verify(dir, VerifyOptions{Key: []byte("other")}); !errors.As(err, &bad) ||
		bad.File != anchorName {
		t.Errorf("wrong key: %v", err)
	}
	var tampered *TamperError
	if _, err := open("other").Append("k", []byte(`{}`), Lazy); !errors.As(err, &tampered) {
		t.Errorf("append with a wrong key: %v", err)
	}
}

// A boot id or a fault may be any text; the slot keeps its size and is JSON.
func TestAnchorSlotSize(t *testing.T) {
	a := newAnchor(strings.Repeat("é\"\\", 100))
	a.Fault, a.Last = a.Boot, MaxLine
	a.Size, a.Base, a.Synced = 1e14-1, 1e14-1, 1e14-1
	a.Count, a.Sealed, a.SyncedCount, a.turn = 1e12-1, 1e12-1, 1e12-1, 1e12-1
	a.Segment, a.Epoch = 1e6-1, 1e9-1
	if n := len(a.appendSlot(nil, nil)); n > slotSize {
		t.Errorf("the longest slot has %d bytes of %d", n, slotSize)
	}
}
