package play

import (
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/screen"
)

// However a moment is reached, the screen is the same as after playing straight through.
func TestSeekIsExact(t *testing.T) {
	cast := busy(t, 4000)
	p := open(t, cast, Settings{})
	press(p, "G")
	if len(p.tape.film.frames) < 4 {
		t.Fatalf("%d keyframes: the test does not use them", len(p.tape.film.frames))
	}
	end := p.Position()
	rnd := mathrand.New(mathrand.NewPCG(3, 4))
	for range 25 {
		at := time.Duration(rnd.Int64N(int64(end)))
		straight := open(t, cast, Settings{From: at})
		press(straight)
		press(p, []string{"left", "right", "up", "down", ","}[rnd.IntN(5)])
		p.seek(at)
		press(p)
		if got, want := p.Screen().String(), straight.Screen().String(); got != want ||
			p.Position() != straight.Position() {
			t.Fatalf("at %v (%v):\n%s\nand straight (%v):\n%s", at, p.Position(), got,
				straight.Position(), want)
		}
	}
	if got := text(p.Frame(60, 12)); !strings.Contains(got, "‖") && !strings.Contains(got, "▶") {
		t.Errorf("frame:\n%s", got)
	}
}

// What n finds one way, N finds the other way; each is on the screen.
func TestSearch(t *testing.T) {
	cast := busy(t, 3000)
	p := open(t, cast, Settings{})
	find := func(what string) { p.Key("/"); press(p, append(strings.Split(what, ""), "enter")...) }
	find("00123 日")
	if got := p.Screen().String(); !strings.Contains(got, "00123") || !p.paused {
		t.Errorf("found:\n%s", got)
	}
	press(p, "g")
	find("77 ")
	var on, back []time.Duration
	for p.message == "" && len(on) < 100 {
		if !strings.Contains(p.Screen().String(), "77 ") {
			t.Fatalf("at %v there is none", p.Position())
		}
		on = append(on, p.Position())
		press(p, "n")
	}
	if len(on) < 25 || !strings.HasPrefix(p.message, "not found") {
		t.Errorf("%d places, then %q", len(on), p.message)
	}
	if p.Position() != on[len(on)-1] {
		t.Errorf("after looking in vain: at %v", p.Position())
	}
	for p.message = ""; p.message == "" && len(back) < 100; press(p, "N") {
		back = append(back, p.Position())
	}
	slices.Reverse(back)
	if !slices.Equal(on, back) {
		t.Errorf("forward %v\nbackward %v", on, back)
	}
	// A line that is gone at the end of its event is found too, and the screen is shown as it was
	// while the line was there.
	k := record(t, audit.Header{Cols: 20, Rows: 3})
	k.at(1, "a\r\nNeedle\r\n1\r\n2\r\n3\r\n4\r\n5\r\n")
	p = open(t, k.done(), Settings{})
	find("needle")
	if got := p.Screen().String(); !strings.HasSuffix(got, "Needle\n") {
		t.Errorf("inside of an event: %q", got)
	}
	if f := p.Frame(20, 5); f.Lines[1][0].Attr&screen.Inverse == 0 ||
		f.Lines[0][0].Attr&screen.Inverse != 0 {
		t.Error("what was found is not marked")
	}
	press(p, "g")
	find("NEEDLE")
	if !strings.HasPrefix(p.message, "not found") {
		t.Error("capitals match small letters")
	}
	p.Key("/")
	press(p, "x", "backspace", "backspace")
	if p.prompt != nil {
		t.Error("still asking")
	}
}

// A key ends a search, and the search leaves no trace.
func TestSearchCanBeEnded(t *testing.T) {
	cast := busy(t, 8000)
	p := open(t, cast, Settings{})
	p.seek(2 * time.Second)
	press(p)
	p.query = query{"there is none"}
	p.Key("n")
	p.Tick(0)
	if p.job == nil {
		t.Fatal("the search was done at once")
	}
	press(p, "x")
	if p.tape.at > 2*time.Second || p.tape.at < time.Second || !p.paused {
		t.Errorf("at %v, paused %v", p.tape.at, p.paused)
	}
}
