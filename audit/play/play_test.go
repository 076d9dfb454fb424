package play

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/screen"
)

// Time is a parameter: what is on the screen after a given number of seconds.
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
		{"pauses cut short", Settings{Idle: time.Second}, "", 2500 * time.Millisecond, "one two",
			61500 * time.Millisecond},
		{"twice as fast", Settings{Speed: 2}, "", 31 * time.Second, "one two", 62 * time.Second},
		{"faster and slower", Settings{}, "+ + -", 31 * time.Second, "one two", 62 * time.Second},
		{"paused", Settings{}, "space", 100 * time.Second, "", 0},
		{"paused twice", Settings{}, "space space", 62 * time.Second, "one two", 62 * time.Second},
		{"idle switched off", Settings{Idle: time.Second}, "i", 30 * time.Second, "one",
			30 * time.Second},
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

func TestMarks(t *testing.T) {
	k := record(t, audit.Header{Cols: 20, Rows: 3, Command: "make"})
	for i := range 5 {
		k.now = time.Duration(i+1) * 10 * time.Second
		must(t, k.Mark(fmt.Sprint("m", i+1)))
		k.at((i+1)*10000+1000, "x")
	}
	set := Settings{Marks: []Mark{{35 * time.Second, "approved\x1b]0;x\x07\u202e"},
		{5 * time.Second, "took over"}}}
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
	want := []string{"5took over", "10m1", "20m2", "30m3", "35approved\x1b]0;x\x07\u202e", "40m4",
		"50m5"}
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

// The bar has the marks of the session before any of it was played, and those of a live one as they
// come.
func TestMarksOnTheBar(t *testing.T) {
	k := record(t, audit.Header{Cols: 20, Rows: 3})
	mark := func(at int) {
		k.now = time.Duration(at) * time.Second
		must(t, k.Mark("m"))
	}
	mark(25)
	// lines longer than what is read at once
	must(t, k.Output(audit.CodeOutput, bytes.Repeat([]byte("#t 1 2 m x "), 12000)))
	mark(50)
	k.at(100000, "#t 0 75000000 m tada\n")
	f, err := os.Open(k.path)
	must(t, err)
	defer f.Close()
	p, err := New(f, Settings{Live: func() bool { return true },
		Marks: []Mark{{time.Second * 90, "given"}}})
	must(t, err)
	at := func() (columns []int) {
		for i, r := range []rune(p.progress(100)) {
			if r == '◆' {
				columns = append(columns, i)
			}
		}
		return columns
	}
	if got, want := at(), []int{25, 50, 90}; !slices.Equal(got, want) {
		t.Errorf("before the start marks are at %v, want %v", got, want)
	}
	press(p, "G")
	mark(125)
	k.at(200000, "x")
	p.Tick(time.Second)
	if got, want := at(), []int{12, 25, 45, 62}; !slices.Equal(got, want) {
		t.Errorf("of a live session marks are at %v, want %v", got, want)
	}
	press(p, "g", "G") // passed again, but shown once
	if len(p.tape.film.marks) != 3 {
		t.Errorf("%d marks, want 3", len(p.tape.film.marks))
	}
}

// The author of typed text is shown below the screen, and the echo has the author's colour.
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
	for _, want := range []string{"[redacted, 16 bytes]", "(hidden, 8 bytes)",
		"12345 bytes of output not kept"} {
		if !strings.Contains(f, want) {
			t.Errorf("no %q in\n%s", want, f)
		}
	}
	if strings.Contains(f, "hunter2") {
		t.Error("it is shown")
	}
}

// A header may claim any size, and keyframes stay within their memory limit.
func TestMemoryOfAPlayer(t *testing.T) {
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
	p.Close() // what the scout made counts too
	film := p.tape.film
	if film.sparse < 2 || film.memory > frameMemory+1<<20 {
		t.Errorf("%d keyframes take %d MiB, %d times apart", len(film.frames), film.memory>>20,
			film.sparse)
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
						if c.Width == 2 != right ||
							c.Width == 0 && (x == 0 || line[x-1].Width != 2) {
							t.Fatalf("%dx%d: half a character at %d: %+v", cols, rows, x, line)
						}
					}
				}
				if f.Cursor && (f.CursorX < 0 || f.CursorX >= max(cols, 1) || f.CursorY < 0 ||
					f.CursorY >= max(rows, 1)) {
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
	if want := []string{"a", "up", "down", "pgup", "", "", "é", "space", "enter", "backspace",
		"ctrl-c", "", "esc"}; !slices.Equal(got, want) {
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
