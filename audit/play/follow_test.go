package play

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/audit"
)

// A running session is shown as it comes.
func TestFollow(t *testing.T) {
	k := record(t, audit.Header{Cols: 20, Rows: 4})
	k.at(1000, "one\r\n")
	f, err := os.Open(k.path)
	must(t, err)
	defer f.Close()
	live := true
	p, err := New(f, Settings{Follow: true, Live: func() bool { return live }})
	must(t, err)
	step := func() string {
		p.Tick(p.now + p.Due())
		p.Tick(p.now + max(0, p.Due()))
		return p.Screen().String()
	}
	if got := step(); got != "one\n" || !p.follow {
		t.Errorf("what was there: %q", got)
	}
	k.at(50000, "two\r\n")
	if got := step(); got != "one\ntwo\n" {
		t.Errorf("what came: %q", got)
	}
	// Half an event is not yet an event.
	whole, err := os.ReadFile(k.path)
	must(t, err)
	k.at(60000, "three\r\n")
	more, err := os.ReadFile(k.path)
	must(t, err)
	must(t, os.WriteFile(k.path, more[:len(whole)+20], 0o600))
	if got := step(); got != "one\ntwo\n" || p.Err() != nil {
		t.Errorf("half an event: %q, %v", got, p.Err())
	}
	must(t, os.WriteFile(k.path, more, 0o600))
	if got := step(); got != "one\ntwo\nthree\n" {
		t.Errorf("the other half: %q", got)
	}
	press(p, "left")
	if p.follow || p.Screen().String() != "one\ntwo\n" {
		t.Errorf("back: %q", p.Screen().String())
	}
	press(p, "G")
	live = false
	k.at(61000, "four\r\n")
	must(t, os.WriteFile(k.path, append(more, tail(t, k.path, len(more))...), 0o600))
	_, err = k.Close()
	must(t, err)
	for range 5 {
		step()
	}
	if p.follow || !p.paused || p.Err() != nil {
		t.Errorf("at the end: follow %v, paused %v, %v", p.follow, p.paused, p.Err())
	}
}

func tail(t *testing.T, path string, from int) []byte {
	b, err := os.ReadFile(path)
	must(t, err)
	return b[min(from, len(b)):]
}

// Nothing unproven is shown, and what is wrong is reported.
func TestNotProven(t *testing.T) {
	cast := lines3(t)
	for _, c := range []struct {
		name, shown, said string
		cast              []byte
		torn              bool
	}{
		{"changed", "one\n", "NOT PROVEN from here",
			bytes.Replace(cast, []byte("two"), []byte("TWO"), 1), false},
		{"cut in an event", "one two\n", "after a crash", cast[:len(cast)-20], true},
		{"garbage in the middle", "one\n", "NOT PROVEN",
			bytes.Replace(cast, []byte("\n[60"), []byte("\n\x00\xff\x1b]52;c;x\x07garbage\n[60"),
				1), false},
		{"a clock that went back", "one\n", "NOT PROVEN",
			bytes.Replace(cast, []byte("[60"), []byte("[-60"), 1), false},
	} {
		if bytes.Equal(c.cast, cast) {
			t.Fatalf("%s: nothing was changed", c.name)
		}
		p := open(t, c.cast, Settings{})
		press(p, "G")
		if got := p.Screen().String(); got != c.shown {
			t.Errorf("%s: shown %q", c.name, got)
		}
		if got := text(p.Frame(120, 6)); !strings.Contains(got, c.said) {
			t.Errorf("%s: said\n%s", c.name, got)
		}
		var bad *audit.BadEntry
		if !errors.As(p.Err(), &bad) || bad.Torn != c.torn {
			t.Errorf("%s: %v", c.name, p.Err())
		}
		press(p, "g", ".")
		if got := p.Screen().String(); got != "one\n" {
			t.Errorf("%s, back: %q", c.name, got)
		}
	}
}

func TestNoTranscript(t *testing.T) {
	huge := func() io.ReadSeeker {
		f, err := os.Create(filepath.Join(t.TempDir(), "huge"))
		must(t, err)
		t.Cleanup(func() { f.Close() })
		must(t, f.Truncate(10<<30))
		return f
	}
	for _, c := range []struct {
		name, want string
		src        io.ReadSeeker
	}{
		{"empty", "is empty", strings.NewReader("")},
		{"of the future", "asciicast version is 9, not 3",
			strings.NewReader(`{"version":9,"term":{"cols":80,"rows":24}}` + "\n")},
		{"another format", "not JSON", strings.NewReader("#!/bin/sh\n")},
		{"cut in the header", "ends in the middle", strings.NewReader(`{"version":3,"term"`)},
		{"10 GiB of nothing", "line is longer than", huge()},
	} {
		if _, err := New(c.src, Settings{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// A good start, followed by 10 GiB of holes.
	path := filepath.Join(t.TempDir(), "a.cast")
	must(t, os.WriteFile(path, lines3(t), 0o600))
	must(t, os.Truncate(path, 10<<30))
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	p, err := New(f, Settings{})
	must(t, err)
	press(p, "G", "g", "G")
	if p.Screen().String() != "one two three\n" || p.Err() == nil || p.tape.film.memory > 4<<20 {
		t.Errorf("holes: %q, %v, %d bytes of keyframes", p.Screen().String(), p.Err(),
			p.tape.film.memory)
	}
}
