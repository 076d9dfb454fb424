package audit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The first entry since a time is found as reading all of the log finds it, also where the clock
// was set back, and whatever part of the log the index was made of before.
func TestIndexSince(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	dir := filepath.Join(t.TempDir(), "audit")
	l, err := OpenLog(dir, LogOptions{Now: func() time.Time { return now }, BootID: "b"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	random := rand.New(rand.NewPCG(1, 2))
	var x Index
	for i := range 400 {
		now = now.Add(time.Duration(random.IntN(3)) * time.Minute)
		if random.IntN(60) == 0 {
			now = now.Add(-time.Duration(random.IntN(300)) * time.Minute)
		}
		mustAppend(t, l, "exec.end", `{"cmd":"`+strings.Repeat("x", random.IntN(900))+`"}`)
		if random.IntN(40) == 0 {
			if err := x.Extend(dir, Codec{}); err != nil {
				t.Fatal(err)
			}
		}
		if i == 200 {
			back, ok := ParseIndex(x.String())
			if !ok || back.String() != x.String() {
				t.Fatalf("%q is not read as it was written", x)
			}
			x = back
		}
	}
	if err := x.Extend(dir, Codec{}); err != nil || len(x.At(kindClock)) < 2 {
		t.Fatalf("%d times the clock was set back: %v", len(x.At(kindClock)), err)
	}
	var all []Entry
	for e, err := range Entries(dir, Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	end := all[len(all)-1].Place().Size
	for range 500 {
		since := now.Add(time.Duration(random.IntN(900)-800) * time.Minute)
		want := end
		if i := slices.IndexFunc(all,
			func(e Entry) bool { return !e.Time.Before(since) }); i >= 0 {
			want = all[i].Offset
		}
		if got, err := x.Since(dir, since, Codec{}); err != nil || got != want {
			t.Errorf("since %s: byte %d, %v; want %d", since, got, err, want)
		}
	}
}

// An index that was cut, flipped or made of another log is not believed.
func TestIndexOfAnother(t *testing.T) {
	dirs := [2]string{filepath.Join(t.TempDir(), "audit"), filepath.Join(t.TempDir(), "audit")}
	for i, dir := range dirs {
		l := openTest(t, dir)
		for n := range 5 {
			mustAppend(t, l, "exec.end", fmt.Sprintf(`{"cmd":"%d"}`, i*10+n))
		}
	}
	var x, y Index
	if err := x.Extend(dirs[0], Codec{}); err != nil || x.Through.Count != 5 {
		t.Fatalf("%v: %v", x, err)
	}
	y = x
	y.entries = []indexed{{KindAccept, 7, 3}}
	if err := y.Extend(dirs[1], Codec{}); err != nil || len(y.entries) != 0 ||
		y.Through == x.Through {
		t.Errorf("an index of another log: %v, %v", y, err)
	}
	text := Index{x.Through, []indexed{{KindAccept, 1, 0}, {kindClock, 333, 333}}}.String()
	if _, ok := ParseIndex(text); !ok {
		t.Fatalf("%q is not read", text)
	}
	for i := range text {
		flipped := []byte(text)
		flipped[i] ^= 1
		if _, ok := ParseIndex(string(flipped)); ok {
			t.Errorf("read with byte %d flipped", i)
		}
		if _, ok := ParseIndex(text[:i]); ok {
			t.Errorf("read when cut after %d bytes", i)
		}
	}
	if err := new(Index).Extend(filepath.Join(t.TempDir(), "none"), Codec{}); err != nil {
		t.Errorf("no log: %v", err)
	}
}

func FuzzParseIndex(f *testing.F) {
	f.Add(Index{Place{Count: 1, Size: 2, Last: 2}, []indexed{{KindRedact, 3, 3}}}.String())
	f.Fuzz(func(t *testing.T, text string) {
		if x, ok := ParseIndex(text); ok && x.String() != text {
			t.Errorf("%q has two spellings", text)
		}
	})
}

// In a part that a person accepted, lines have any times: there the index does not trust their
// order.
func TestIndexSinceInAcceptedPart(t *testing.T) {
	for _, year := range []string{"2000", "2099"} {
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		start := now
		dir := filepath.Join(t.TempDir(), "audit")
		l, err := OpenLog(dir, LogOptions{Now: func() time.Time { return now }, BootID: "b"})
		must(t, err)
		defer l.Close()
		fill := func(n int) {
			for range n {
				now = now.Add(time.Minute)
				mustAppend(t, l, "exec.end", `{"cmd":"ls"}`)
			}
		}
		fill(50)
		forged := readLog(t, dir)
		for i := range 200 {
			forged = fmt.Appendf(forged, `{"body":{"x":%d},"kind":"exec.end","prev":"%064d",`+
				`"seq":%d,"time":"%s-01-01T00:00:00.000000Z"}`+"\n", i, 0, 50+i, year)
		}
		writeLog(t, dir, forged)
		_, err = l.Accept("dev", "for a test")
		must(t, err)
		fill(20)
		var x Index
		must(t, x.Extend(dir, Codec{}))
		count := func(f Filter) (n int) {
			for _, err := range Entries(dir, f) {
				if err == nil {
					n++
				}
			}
			return n
		}
		for minute := range 75 {
			at := start.Add(time.Duration(minute) * time.Minute)
			from, err := x.Since(dir, at, Codec{})
			must(t, err)
			want, got := count(Filter{Since: at}), count(Filter{Since: at, From: from})
			if got != want {
				t.Errorf("%s, since minute %d: %d entries, want %d", year, minute, got, want)
			}
			to := max(from, 1)
			if want := count(Filter{Until: at}); x.Ordered(from) &&
				count(Filter{Until: at, To: to}) != want {
				t.Errorf("%s, until minute %d: not %d entries", year, minute, want)
			}
		}
	}
}

// A file of the log that cannot be read for a moment is no part of the log without entries: the
// index stays as it was.
func TestIndexOfUnreadableFile(t *testing.T) {
	dir, _, _, _ := packedLog(t)
	l := openPacking(t, dir)
	mustAppend(t, l, KindRedact, `{"sid":"x"}`)
	var want Index
	must(t, want.Extend(dir, packing))
	names, err := filepath.Glob(filepath.Join(dir, "log*"+packedSuffix))
	must(t, err)
	whole := readAll(t, names[0])
	must(t, os.WriteFile(names[0], whole[:len(whole)-1], 0o600))
	var x Index
	var bad *SegmentError
	if err := x.Extend(dir, packing); !errors.As(err, &bad) || x.Through.Size > 0 {
		t.Errorf("%v, %v", x, err)
	}
	must(t, os.WriteFile(names[0], whole, 0o600))
	if err := x.Extend(dir, packing); err != nil || x.String() != want.String() {
		t.Errorf("%v, %v; want %v", x, err, want)
	}
}

// What a reader meets that was pruned after it began is an error, and no end of the log.
func TestPrunedWhileRead(t *testing.T) {
	dir, _ := fillSegments(t, 1500, 30000) // more than is read at once
	l := openPacking(t, dir)
	_, err := l.Pack(t.Context())
	must(t, err)
	n := 0
	var last error
	for _, err := range Entries(dir, Filter{Codec: packing}) {
		if n++; n == 1 {
			pruned, _, err := l.Prune(Retention{MaxBytes: 1}, "test", nil)
			if err != nil || pruned == 0 {
				t.Fatalf("pruned %d, %v", pruned, err)
			}
		}
		last = err
	}
	var gone *SegmentError
	if !errors.As(last, &gone) {
		t.Errorf("after %d entries: %v", n, last)
	}
}
