package audit

import (
	"fmt"
	"math/rand/v2"
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
	y.entries = []indexed{{KindAccept, 7}}
	if err := y.Extend(dirs[1], Codec{}); err != nil || len(y.entries) != 0 ||
		y.Through == x.Through {
		t.Errorf("an index of another log: %v, %v", y, err)
	}
	text := Index{x.Through, []indexed{{KindAccept, 1}, {kindClock, 333}}}.String()
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
	f.Add(Index{Place{Count: 1, Size: 2, Last: 2}, []indexed{{KindRedact, 3}}}.String())
	f.Fuzz(func(t *testing.T, text string) {
		if x, ok := ParseIndex(text); ok && x.String() != text {
			t.Errorf("%q has two spellings", text)
		}
	})
}
