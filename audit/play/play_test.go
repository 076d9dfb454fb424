package play

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/screen"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A take is a transcript being recorded, with a clock of its own.
type take struct {
	*audit.Recorder
	t    testing.TB
	path string
	now  time.Duration
}

func record(t testing.TB, h audit.Header) *take {
	t.Helper()
	k := &take{t: t, path: filepath.Join(t.TempDir(), "a.cast")}
	r, err := audit.Create(k.path, h, audit.RecordOptions{Now: func() time.Duration { return k.now }, Rand: rand.Reader})
	must(t, err)
	k.Recorder = r
	return k
}

// at lets the clock go on to a time and records output then.
func (k *take) at(ms int, out string) {
	k.now = time.Duration(ms) * time.Millisecond
	must(k.t, k.Output(audit.CodeOutput, []byte(out)))
}

func (k *take) done() []byte {
	k.t.Helper()
	_, err := k.Close()
	must(k.t, err)
	b, err := os.ReadFile(k.path)
	must(k.t, err)
	return b
}

func open(t testing.TB, cast []byte, s Settings) *Player {
	t.Helper()
	p, err := New(bytes.NewReader(cast), s)
	must(t, err)
	p.Tick(0)
	return p
}

// press gives keys and waits until what they began is done.
func press(p *Player, keys ...string) {
	for _, k := range keys {
		p.Key(k)
		settle(p)
	}
	settle(p)
}

func settle(p *Player) {
	for p.job != nil {
		p.Tick(p.now)
	}
}

func text(f Frame) string {
	var b strings.Builder
	for _, line := range f.Lines {
		var l strings.Builder
		for _, c := range line {
			if c.Width > 0 {
				l.WriteRune(c.Rune)
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

func lines3(t testing.TB) []byte {
	k := record(t, audit.Header{Cols: 20, Rows: 5})
	k.at(1000, "one ")
	k.at(61000, "two ")
	k.at(63000, "three")
	return k.done()
}

// Time is a parameter: what is on the screen after so many seconds.
func TestTime(t *testing.T) {
	cast := lines3(t)
	for _, c := range []struct {
		name string
		set  Settings
		keys string
		at   time.Duration
		want string
		pos  time.Duration
	}{
		{"before the first", Settings{}, "", 900 * time.Millisecond, "", 900 * time.Millisecond},
		{"its own speed", Settings{}, "", 60 * time.Second, "one", 60 * time.Second},
		{"to the end", Settings{}, "", 100 * time.Second, "one two three", 63 * time.Second},
		{"pauses cut short", Settings{Idle: time.Second}, "", 2500 * time.Millisecond, "one two", 61500 * time.Millisecond},
		{"twice as fast", Settings{Speed: 2}, "", 31 * time.Second, "one two", 62 * time.Second},
		{"faster and slower", Settings{}, "+ + -", 31 * time.Second, "one two", 62 * time.Second},
		{"paused", Settings{}, "space", 100 * time.Second, "", 0},
		{"paused twice", Settings{}, "space space", 62 * time.Second, "one two", 62 * time.Second},
		{"idle switched off", Settings{Idle: time.Second}, "i", 30 * time.Second, "one", 30 * time.Second},
		{"from", Settings{From: 61 * time.Second}, "", time.Second, "one two", 62 * time.Second},
		{"frames", Settings{}, ". .", time.Hour, "one two", 61 * time.Second},
		{"frame back", Settings{}, ". . . ,", time.Hour, "one two", 61 * time.Second},
		{"frames to the start", Settings{}, ". . , ,", time.Hour, "one", time.Second},
		{"end", Settings{}, "G", time.Hour, "one two three", 63 * time.Second},
		{"end and back", Settings{}, "G left", time.Hour, "one", 58 * time.Second},
		{"minutes", Settings{}, "space up right down", time.Hour, "one", 3 * time.Second},
		{"start", Settings{}, "G g", time.Hour, "", 0},
		{"half", Settings{}, "space 5", time.Hour, "one", 31500 * time.Millisecond},
		{"again from the end", Settings{}, "G space", 500 * time.Millisecond, "", 0},
		{"unknown keys", Settings{}, "space x Z ctrl-z", time.Hour, "", 0},
	} {
		p := open(t, cast, c.set)
		press(p, strings.Fields(c.keys)...)
		for at := time.Duration(0); at < c.at; { // as a driver does
			d := p.Due()
			if d < 0 {
				break
			}
			at = min(c.at, at+max(d, time.Millisecond))
			p.Tick(at)
		}
		if got := strings.TrimSpace(p.Screen().String()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if c.name != "again from the end" && p.Position() != c.pos {
			t.Errorf("%s: at %v, want %v", c.name, p.Position(), c.pos)
		}
	}
}

// busy records a session with everything in it, some megabytes long.
func busy(t testing.TB, events int) []byte {
	k := record(t, audit.Header{Cols: 40, Rows: 10})
	rnd := mathrand.New(mathrand.NewPCG(7, 7))
	for i := range events {
		k.now += time.Duration(rnd.IntN(40)) * time.Millisecond
		must(t, k.Output(audit.CodeOutput, fmt.Appendf(nil, "\x1b[%d;%dH\x1b[3%dm%05d 日本\x1b[0m\r\n", rnd.IntN(10)+1, rnd.IntN(40)+1, i%8, i)))
		switch i % 97 {
		case 5:
			must(t, k.Output(audit.CodeOutput, []byte("\x1b[?1049h\x1b[2J")))
		case 50:
			must(t, k.Output(audit.CodeOutput, []byte("\x1b[?1049l")))
		case 60:
			must(t, k.Resize(30+i%20, 5+i%7))
		case 70:
			must(t, k.Mark(fmt.Sprintf("mark %d", i)))
		case 80:
			must(t, k.Output(audit.CodeOutput, []byte{0xff, 'x', 0xfe}))
		case 90:
			must(t, k.Output(audit.CodeOutput, bytes.Repeat([]byte("filler of a long line\r\n"), 600)))
		}
	}
	return k.done()
}

// However a moment is reached, the screen is the one that playing straight
// through shows.
func TestSeekIsExact(t *testing.T) {
	cast := busy(t, 4000)
	p := open(t, cast, Settings{})
	press(p, "G")
	if len(p.tape.frames) < 4 {
		t.Fatalf("%d keyframes: the test does not use them", len(p.tape.frames))
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
		if got, want := p.Screen().String(), straight.Screen().String(); got != want || p.Position() != straight.Position() {
			t.Fatalf("at %v (%v):\n%s\nand straight (%v):\n%s", at, p.Position(), got, straight.Position(), want)
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
	// A line that is gone at the end of its event is found all the same, and
	// the screen is shown as it was when it stood there.
	k := record(t, audit.Header{Cols: 20, Rows: 3})
	k.at(1, "a\r\nNeedle\r\n1\r\n2\r\n3\r\n4\r\n5\r\n")
	p = open(t, k.done(), Settings{})
	find("needle")
	if got := p.Screen().String(); !strings.HasSuffix(got, "Needle\n") {
		t.Errorf("inside of an event: %q", got)
	}
	if f := p.Frame(20, 5); f.Lines[1][0].Attr&screen.Inverse == 0 || f.Lines[0][0].Attr&screen.Inverse != 0 {
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

// A key ends a search, and nothing of it is left.
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

func TestMarks(t *testing.T) {
	k := record(t, audit.Header{Cols: 20, Rows: 3, Command: "make"})
	for i := range 5 {
		k.now = time.Duration(i+1) * 10 * time.Second
		must(t, k.Mark(fmt.Sprint("m", i+1)))
		k.at((i+1)*10000+1000, "x")
	}
	set := Settings{Marks: []Mark{{35 * time.Second, "approved\x1b]0;x\x07\u202e"}, {5 * time.Second, "took over"}}}
	p := open(t, k.done(), set)
	p.Key("space")
	var got []string
	for range 8 {
		press(p, "]")
		if strings.HasPrefix(p.message, "not found") {
			break
		}
		got = append(got, fmt.Sprint(p.Position().Seconds(), p.label()))
	}
	want := []string{"5took over", "10m1", "20m2", "30m3", "35approved\x1b]0;x\x07\u202e", "40m4", "50m5"}
	if !slices.Equal(got, want) {
		t.Errorf("forward %q", got)
	}
	for i := len(want) - 2; i >= 0; i-- {
		press(p, "[")
		if g := fmt.Sprint(p.Position().Seconds(), p.label()); g != want[i] {
			t.Errorf("back: %q, want %q", g, want[i])
		}
	}
	if f := text(p.Frame(60, 5)); !strings.Contains(f, "◆") {
		t.Errorf("no marks on the bar:\n%s", f)
	}
	press(p, "]", "]", "]", "]")
	p.message = ""
	if f := text(p.Frame(60, 5)); !strings.Contains(f, "approved·]0;x··") {
		t.Errorf("a label got through:\n%s", f)
	}
}

// Who typed stands below the screen, and the echo has its colour.
func TestWhoTyped(t *testing.T) {
	k := record(t, audit.Header{Cols: 30, Rows: 6})
	k.at(1, "$ ")
	must(t, k.Input("agent:claude", []byte("ls")))
	k.at(2, "ls")
	must(t, k.Input("human:1000@pts/3", []byte("\x03rm\r")))
	k.at(3, "^C\r\n$ rm\r\n")
	must(t, k.Input("human:1000@pts/3", []byte("pwd\r")))
	k.at(4, "pwd\r\n/tmp\r\n")
	p := open(t, k.done(), Settings{})
	press(p, "G")
	s := p.Screen()
	cell := func(x, y int) screen.Cell { return p.author(s.Cell(x, y)) }
	if c := cell(2, 0); c.Rune != 'l' || c.Fg != screen.Indexed(6) {
		t.Errorf("the agent's echo: %+v", c)
	}
	if c := cell(0, 1); c.Fg != 0 || c.Attr != 0 {
		t.Errorf("the prompt: %+v", c)
	}
	if c := s.Cell(0, 2); c.Rune != 'p' || cell(0, 2).Fg != screen.Indexed(3) {
		t.Errorf("the person's echo: %+v", c)
	}
	if c := s.Cell(0, 3); c.Tag != 0 && c.Rune != 0 {
		t.Errorf("output is told as typed: %+v", c)
	}
	if f := text(p.Frame(60, 8)); !strings.Contains(f, "human:1000@pts/3 pwd⏎") {
		t.Errorf("who typed:\n%s", f)
	}
}

// Passwords, redacted and lost bytes are named and not shown.
func TestWhatIsNotThere(t *testing.T) {
	k := record(t, audit.Header{Cols: 40, Rows: 4})
	k.at(1, "secret=hunter2\r\n")
	must(t, k.Hidden(audit.CodeInput, "human:1@x", []byte("hunter2\r")))
	must(t, k.Gap(12345, audit.Hash{}))
	cast := k.done()
	var out bytes.Buffer
	_, err := audit.Redact(&out, bytes.NewReader(cast), []int64{0})
	must(t, err)
	p := open(t, out.Bytes(), Settings{})
	press(p, "G")
	f := text(p.Frame(80, 6))
	for _, want := range []string{"[redacted, 16 bytes]", "(hidden, 8 bytes)", "12345 bytes of output were not kept"} {
		if !strings.Contains(f, want) {
			t.Errorf("no %q in\n%s", want, f)
		}
	}
	if strings.Contains(f, "hunter2") {
		t.Error("it is shown")
	}
}

// A session that still runs is shown as it comes.
func TestFollow(t *testing.T) {
	k := record(t, audit.Header{Cols: 20, Rows: 4})
	k.at(1000, "one\r\n")
	f, err := os.Open(k.path)
	must(t, err)
	defer f.Close()
	live := true
	p, err := New(f, Settings{Follow: true, Live: func() bool { return live }})
	must(t, err)
	step := func() string { p.Tick(p.now + p.Due()); p.Tick(p.now + max(0, p.Due())); return p.Screen().String() }
	if got := step(); got != "one\n" || !p.follow {
		t.Errorf("what was there: %q", got)
	}
	k.at(50000, "two\r\n")
	if got := step(); got != "one\ntwo\n" {
		t.Errorf("what came: %q", got)
	}
	// Half an event is no event yet.
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

// Nothing unproven is shown, and what is wrong is said.
func TestNotProven(t *testing.T) {
	cast := lines3(t)
	for _, c := range []struct {
		name, shown, said string
		cast              []byte
		torn              bool
	}{
		{"changed", "one\n", "NOT PROVEN from here", bytes.Replace(cast, []byte("two"), []byte("TWO"), 1), false},
		{"cut in an event", "one two\n", "after a crash", cast[:len(cast)-20], true},
		{"garbage in the middle", "one\n", "NOT PROVEN", bytes.Replace(cast, []byte("\n[60"), []byte("\n\x00\xff\x1b]52;c;x\x07garbage\n[60"), 1), false},
		{"a clock that went back", "one\n", "NOT PROVEN", bytes.Replace(cast, []byte("[60"), []byte("[-60"), 1), false},
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
		{"of the future", "asciicast version is 9, not 3", strings.NewReader(`{"version":9,"term":{"cols":80,"rows":24}}` + "\n")},
		{"another format", "not JSON", strings.NewReader("#!/bin/sh\n")},
		{"cut in the header", "ends in the middle", strings.NewReader(`{"version":3,"term"`)},
		{"10 GiB of nothing", "line is longer than", huge()},
	} {
		if _, err := New(c.src, Settings{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// A good start and 10 GiB of holes behind it.
	path := filepath.Join(t.TempDir(), "a.cast")
	must(t, os.WriteFile(path, lines3(t), 0o600))
	must(t, os.Truncate(path, 10<<30))
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	p, err := New(f, Settings{})
	must(t, err)
	press(p, "G", "g", "G")
	if p.Screen().String() != "one two three\n" || p.Err() == nil || p.tape.memory > 4<<20 {
		t.Errorf("holes: %q, %v, %d bytes of keyframes", p.Screen().String(), p.Err(), p.tape.memory)
	}
}

// A header may claim any size, and keyframes stay within their memory.
func TestMemory(t *testing.T) {
	k := record(t, audit.Header{Cols: 1 << 30, Rows: 1 << 30})
	full := bytes.Repeat([]byte("x"), 32<<10)
	for range 300 {
		k.now += 20 * time.Second
		for range 4 {
			must(t, k.Output(audit.CodeOutput, full))
		}
	}
	p := open(t, k.done(), Settings{})
	press(p, "G")
	if p.tape.sparse < 2 || p.tape.memory > frameMemory+32<<20 {
		t.Errorf("%d keyframes take %d MiB, %d times apart", len(p.tape.frames), p.tape.memory>>20, p.tape.sparse)
	}
	at := p.Position()
	press(p, "down", "up")
	if p.Position() != at {
		t.Errorf("at %v, not %v", p.Position(), at)
	}
}

// The viewer's terminal may have any size.
func TestFrameSizes(t *testing.T) {
	k := record(t, audit.Header{Cols: 30, Rows: 8})
	k.at(1, "\x1b[8;29H日")
	k.at(2, "\x1b[1;1H日本日本日本")
	p := open(t, k.done(), Settings{Proof: "verified", Title: "日本"})
	press(p, "G")
	for cols := 0; cols < 40; cols++ {
		for rows := 0; rows < 12; rows++ {
			for _, help := range []bool{false, true} {
				p.help = help
				f := p.Frame(cols, rows)
				for _, line := range f.Lines {
					for x, c := range line {
						right := x+1 < len(line) && line[x+1].Width == 0
						if c.Width == 2 != right || c.Width == 0 && (x == 0 || line[x-1].Width != 2) {
							t.Fatalf("%dx%d: half a character at %d: %+v", cols, rows, x, line)
						}
					}
				}
				if f.Cursor && (f.CursorX < 0 || f.CursorX >= max(cols, 1) || f.CursorY < 0 || f.CursorY >= max(rows, 1)) {
					t.Fatalf("%dx%d: the cursor is at %d %d", cols, rows, f.CursorX, f.CursorY)
				}
			}
		}
	}
}

func TestNextKey(t *testing.T) {
	in := []byte("a\x1b[A\x1bOB\x1b[5~\x1b[1;2C\x1b[200~é \r\x7f\x03\x00\x1b")
	var got []string
	for len(in) > 0 {
		var k string
		k, in = nextKey(in)
		got = append(got, k)
	}
	if want := []string{"a", "up", "down", "pgup", "", "", "é", "space", "enter", "backspace", "ctrl-c", "", "esc"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func FuzzNextKey(f *testing.F) {
	f.Add([]byte("\x1b[A\x1b\x1b[\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		for len(in) > 0 {
			_, rest := nextKey(in)
			if len(rest) >= len(in) {
				t.Fatal("no key was taken")
			}
			in = rest
		}
	})
}

func BenchmarkPlay(b *testing.B) {
	cast := busy(b, 4000)
	b.SetBytes(int64(len(cast)))
	for b.Loop() {
		p := open(b, cast, Settings{})
		press(p, "G")
	}
}

// Going back 5 s, from the end of a session.
func BenchmarkSeekBack(b *testing.B) {
	p := open(b, busy(b, 20000), Settings{})
	press(p, "G")
	end := p.Position()
	for b.Loop() {
		p.seek(end - 5*time.Second)
		press(p)
		p.seek(end)
		press(p)
	}
}
