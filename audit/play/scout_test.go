package play

import (
	"bytes"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// anything records a session of some hundred kilobytes in which everything happens that a
// transcript can hold, with some of it redacted later.
func anything(t testing.TB, rnd *mathrand.Rand) []byte {
	t.Helper()
	k := record(t, audit.Header{Cols: 20 + rnd.IntN(60), Rows: 3 + rnd.IntN(20)})
	pieces := []string{"\x1b[?1049h", "\x1b[?1049l", "\x1b[H\x1b[2J", "\x1b[3;7r",
		"\x1b[44m \x1b[K", "日本e\u0301", "\x1b(0lqqk\x1b(B", "\x1b[", "7m", "\x1b]0;title",
		"\x07", "\t", "\r\n", "\xff"}
	authors := []string{"human:1@x", "agent:a", "term:y"}
	for i := range 900 {
		k.now += time.Duration(rnd.IntN(4000)) * time.Millisecond
		typed := fmt.Appendf(nil, "word%d", rnd.IntN(1000))
		switch rnd.IntN(12) {
		case 0:
			must(t, k.Resize(1+rnd.IntN(90), 1+rnd.IntN(30)))
		case 1, 2:
			must(t, k.Input(authors[rnd.IntN(3)], typed))
			must(t, k.Output(audit.CodeOutput, typed[:rnd.IntN(len(typed))+1]))
		case 3:
			must(t, k.Gap(int64(rnd.IntN(9999)), audit.Hash{}))
		case 4:
			must(t, k.Mark(fmt.Sprint("mark ", i)))
		case 5:
			must(t, k.Hidden(audit.CodeInput, authors[rnd.IntN(3)], typed))
		default:
			text := fmt.Appendf(nil, "\x1b[3%dmline %d ", rnd.IntN(8), i)
			for range rnd.IntN(40) {
				text = append(text, pieces[rnd.IntN(len(pieces))]...)
			}
			must(t, k.Output(audit.CodeOutput,
				append(text, bytes.Repeat([]byte("and so on\r\n"), rnd.IntN(90))...)))
		}
	}
	var gone []int64
	for seq := int64(rnd.IntN(50)); seq < 800; seq += 1 + int64(rnd.IntN(60)) {
		gone = append(gone, seq)
	}
	var out bytes.Buffer
	_, err := audit.Redact(&out, bytes.NewReader(k.done()), gone)
	must(t, err)
	return out.Bytes()
}

// scouted opens a player and a scout that goes on when it is told.
func scouted(t testing.TB, cast []byte) (*Player, *scout) {
	t.Helper()
	p := open(t, cast, Settings{})
	s := newScout(bytes.NewReader(cast), p.tape.film)
	if s == nil {
		t.Fatal("there is no scout")
	}
	return p, s
}

// sought seeks, with a scout that goes on as long as the player waits for it. It returns how often
// the player waited.
func sought(p *Player, s *scout, at time.Duration) (waited int) {
	p.paused = true
	p.seek(at)
	for p.job != nil {
		if p.Tick(p.now); p.job != nil && p.tape.waits {
			waited++
			s.step(3000)
		}
	}
	return waited
}

// seen is what the viewer sees, with who typed and what happened.
func seen(p *Player) Frame { return p.Frame(100, 34) }

// Wherever the scout is, a seek shows what is shown without one.
func TestScoutIsExact(t *testing.T) {
	seeds := uint64(8)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		rnd := mathrand.New(mathrand.NewPCG(seed, 1))
		cast := anything(t, rnd)
		p, s := scouted(t, cast)
		waited, frames := 0, 0
		for step := range 40 {
			at := time.Duration(rnd.Int64N(int64(p.total)))
			switch rnd.IntN(4) {
			case 0:
				at = s.at // where the scout is
			case 1:
				s.step(rnd.IntN(20000))
			}
			waited += sought(p, s, at)
			straight := open(t, cast, Settings{From: at})
			press(straight)
			p.message, straight.paused, p.query = "", p.paused, query{}
			straight.tape.film.marks = p.tape.film.marks // the bar of a transcript that was played
			if got, want := seen(p), seen(straight); p.Position() != straight.Position() ||
				!reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, step %d, at %v (%v):\n%s\nand straight (%v):\n%s", seed, step,
					at, p.Position(), text(got), straight.Position(), text(want))
			}
		}
		if frames = len(p.tape.film.frames); frames < 5 || waited == 0 {
			t.Errorf("seed %d: %d keyframes, waited %d times: the test does not use them", seed,
				frames, waited)
		}
	}
}

// A scout that goes on by itself changes nothing either: not where seeks lead, nor what is found.
func TestScoutGoesOnByItself(t *testing.T) {
	cast := busy(t, 6000)
	alone, p := open(t, cast, Settings{}), open(t, cast, Settings{})
	p.tape.send()
	rnd := mathrand.New(mathrand.NewPCG(5, 6))
	keys := strings.Fields("3 8 G left up ] [ , . n N 5")
	for step := range 30 {
		key := keys[rnd.IntN(len(keys))]
		alone.query, p.query = query{"77 "}, query{"77 "}
		press(alone, "space", key)
		press(p, "space", key)
		alone.paused, p.paused = true, true
		alone.tape.film.marks = p.tape.film.allMarks()
		if got, want := seen(p), seen(alone); !reflect.DeepEqual(got, want) {
			t.Fatalf("step %d, %s (%v, %v):\n%s\nand alone:\n%s", step, key, p.Position(),
				alone.Position(), text(got), text(want))
		}
	}
}

// A damaged transcript is shown up to the same place, with the same words.
func TestScoutOfADamagedTranscript(t *testing.T) {
	rnd := mathrand.New(mathrand.NewPCG(8, 9))
	cast := anything(t, rnd)
	for range 30 {
		bad := bytes.Clone(cast)
		at := rnd.IntN(len(bad))
		if bad[at] ^= 1; rnd.IntN(4) == 0 {
			bad = bad[:at]
		}
		alone, err := New(bytes.NewReader(bad), Settings{})
		if err != nil {
			continue // not even its header
		}
		press(alone, "G")
		p, s := scouted(t, bad)
		s.step(rnd.IntN(len(bad)))
		for _, at := range []time.Duration{endOfTime, p.total / 2, 0, endOfTime, endOfTime} {
			sought(p, s, at)
		}
		if p.Err() == nil || fmt.Sprint(p.Err()) != fmt.Sprint(alone.Err()) {
			t.Fatalf("byte %d: %v, and without a scout %v", at, p.Err(), alone.Err())
		}
		if got, want := p.Screen().String(), alone.Screen().String(); got != want {
			t.Fatalf("byte %d:\n%s\nand without a scout:\n%s", at, got, want)
		}
	}
}

// The scout ends with the player, wherever it is, and the player knows what it left.
func TestScoutEndsWithThePlayer(t *testing.T) {
	cast := busy(t, 6000)
	for i := range 20 {
		p := open(t, cast, Settings{})
		p.tape.send()
		s := p.tape.scout
		time.Sleep(time.Duration(i) * time.Millisecond / 2)
		p.Close()
		p.Close()
		select {
		case <-s.ended:
		default:
			t.Fatal("the scout still runs")
		}
		if p.tape.film.under {
			t.Fatal("the player would wait for it")
		}
	}
}

// A stream that only one can read has no scout, and neither has a short transcript, or one that is
// followed; a long one has.
func TestWhoHasAScout(t *testing.T) {
	short, long := lines3(t), busy(t, 14000)
	if len(long) < scoutLeast {
		t.Fatalf("only %d bytes", len(long))
	}
	for _, c := range []struct {
		name string
		cast []byte
		set  Settings
		want bool
	}{
		{"short", short, Settings{}, false},
		{"followed", long, Settings{Follow: true}, false},
		{"long", long, Settings{}, true},
		{"long and live", long, Settings{Live: func() bool { return false }}, true},
	} {
		if p := open(t, c.cast, c.set); (p.tape.scout != nil) != c.want {
			t.Errorf("%s: %v", c.name, p.tape.scout)
		}
	}
	if s := newScout(&seekOnly{}, &film{}); s != nil {
		t.Error("it reads what cannot be read twice")
	}
}

// seekOnly is a transcript without a place for each reader.
type seekOnly struct{}

func (*seekOnly) Read([]byte) (int, error)       { return 0, errors.ErrUnsupported }
func (*seekOnly) Seek(int64, int) (int64, error) { return 0, errors.ErrUnsupported }

// The keyframes of a scout are as many as there is memory for, and what they take is counted.
func TestFilmIsBounded(t *testing.T) {
	k := record(t, audit.Header{Cols: 1000, Rows: 500})
	row := []byte{}
	for x := range 1000 {
		row = fmt.Appendf(row, "\x1b[38;5;%dmx", x%256)
	}
	for range 600 {
		k.now += time.Minute
		for range 8 {
			must(t, k.Output(audit.CodeOutput, row))
		}
	}
	p, s := scouted(t, k.done())
	for s.step(scoutStep) {
		if p.tape.film.memory > frameMemory {
			t.Fatalf("%d keyframes take %d MiB", len(p.tape.film.frames), p.tape.film.memory>>20)
		}
	}
	sum := 0
	for _, k := range p.tape.film.frames {
		sum += k.stage.bytes()
	}
	if sum != p.tape.film.memory || p.tape.film.sparse < 2 || p.tape.film.frames[0].at != 0 {
		t.Errorf("%d bytes are %d, %d times apart", sum, p.tape.film.memory, p.tape.film.sparse)
	}
}
