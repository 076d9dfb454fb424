package play

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/screen"
)

// A viewer is a person at a terminal: a real pty, and a model of what it shows.
type viewer struct {
	t          *testing.T
	master     *os.File
	tty        *os.File
	mu         sync.Mutex
	sees       *screen.Screen
	raw        []byte
	done       chan error
	ctx        context.Context
	leave      context.CancelFunc
	cols, rows int
}

func watch(t *testing.T, cast []byte, cols, rows int, set Settings) *viewer {
	t.Helper()
	master, tty, err := pty.Open()
	must(t, err)
	t.Cleanup(func() { master.Close(); tty.Close() })
	must(t, pty.Setsize(master, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}))
	v := &viewer{t: t, master: master, tty: tty, sees: screen.New(cols, rows),
		done: make(chan error, 1), cols: cols, rows: rows}
	v.ctx, v.leave = context.WithCancel(t.Context())
	t.Cleanup(v.leave)
	v.sees.Write([]byte("my own screen"))
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			if err != nil {
				return
			}
			v.mu.Lock()
			v.sees.Write(buf[:n])
			v.raw = append(v.raw, buf[:n]...)
			v.mu.Unlock()
		}
	}()
	go func() {
		v.done <- Run(v.ctx, bytes.NewReader(cast), Options{In: tty, Out: tty, Settings: set})
	}()
	return v
}

// until waits for the screen to be right.
func (v *viewer) until(what string, ok func(s *screen.Screen) bool) {
	v.t.Helper()
	for range 1000 {
		v.mu.Lock()
		good := ok(v.sees)
		v.mu.Unlock()
		if good {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.t.Fatalf("%s does not come; the viewer sees\n%s", what, v.sees)
}

func (v *viewer) shows(text string) {
	v.t.Helper()
	v.until(text, func(s *screen.Screen) bool { return strings.Contains(s.String(), text) })
}

func (v *viewer) types(keys string) {
	v.t.Helper()
	_, err := v.master.WriteString(keys)
	must(v.t, err)
}

func (v *viewer) modes() unix.Termios {
	v.t.Helper()
	m, err := unix.IoctlGetTermios(int(v.tty.Fd()), unix.TCGETS)
	must(v.t, err)
	return *m
}

// A person looks at a session on a real terminal, which is then restored.
func TestRunOnATerminal(t *testing.T) {
	k := record(t, audit.Header{Cols: 30, Rows: 6, Command: "make all"})
	k.at(10, "\x1b[31mred\x1b[0m 日本\r\n")
	must(t, k.Input("human:1000@pts/1", []byte("yes\r")))
	k.at(20, "yes\r\n\x1b]52;c;c3RvbGVu\x07\x1b]0;stolen\x07\x1b[6n\x1b[?1000h\x1b[?2004hneedle here\r\n")
	k.at(600000, "the end\r\n")
	v := watch(t, k.done(), 60, 10, Settings{Proof: "verified"})
	v.shows("needle here")
	v.shows("human:1000@pts/1 yes⏎")
	v.shows("verified")
	v.mu.Lock()
	if c := v.sees.Cell(0, 0); c.Fg != screen.Indexed(1) || !v.sees.Alternate() {
		t.Errorf("the first cell is %+v, alternate screen %v", c, v.sees.Alternate())
	}
	if c := v.sees.Cell(0, 1); c.Fg != screen.Indexed(3) {
		t.Errorf("who typed has no colour: %+v", c)
	}
	v.mu.Unlock()
	if m := v.modes(); m.Lflag&unix.ECHO != 0 || m.Lflag&unix.ICANON != 0 {
		t.Error("the terminal is not raw")
	}
	v.types("?")
	v.shows("pause or")
	v.types("x/needle\r")
	v.until("the place that was looked for", func(s *screen.Screen) bool {
		return strings.Contains(s.String(), "not found from here on: needle")
	})
	v.types("N")
	v.until("previous match", func(s *screen.Screen) bool {
		return s.Cell(0, 2).Attr&screen.Inverse != 0
	})
	must(t, pty.Setsize(v.master, &pty.Winsize{Cols: 70, Rows: 14}))
	v.mu.Lock()
	v.sees.Resize(70, 14)
	v.mu.Unlock()
	v.until("the new size", func(s *screen.Screen) bool {
		return strings.Contains(s.Text(12), "10:00")
	})
	v.types("G")
	v.shows("the end")
	v.types("q")
	if err := <-v.done; err != nil {
		t.Errorf("left with %v", err)
	}
	v.gotBack()
	// The recording reached the terminal only as a picture.
	for _, stolen := range []string{"c3RvbGVu", "stolen", "[6n", "1000", "2004"} {
		if bytes.Contains(bytes.ReplaceAll(v.raw, []byte("human:1000@"), nil), []byte(stolen)) {
			t.Errorf("%q got through", stolen)
		}
	}
	checkDrawn(t, v.raw)
}

// gotBack checks that the terminal is restored.
func (v *viewer) gotBack() {
	v.t.Helper()
	v.until("my own screen", func(s *screen.Screen) bool {
		_, _, shown := s.Cursor()
		return !s.Alternate() && shown && strings.HasPrefix(s.String(), "my own screen")
	})
	if m := v.modes(); m.Lflag&unix.ECHO == 0 || m.Lflag&unix.ICANON == 0 ||
		m.Oflag&unix.OPOST == 0 {
		v.t.Error("the terminal is still raw")
	}
}

// The terminal is restored however it ends.
func TestRunPutsTheTerminalBack(t *testing.T) {
	cast := lines3(t)
	t.Run("context", func(t *testing.T) {
		v := watch(t, cast, 40, 8, Settings{})
		v.shows("00:0")
		v.leave()
		if err := <-v.done; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		v.gotBack()
	})
	t.Run("not proven", func(t *testing.T) {
		v := watch(t, bytes.Replace(cast, []byte("two"), []byte("TWO"), 1), 140, 8, Settings{})
		v.types("G")
		v.shows("NOT PROVEN")
		v.types("q")
		var bad *audit.BadEntry
		if err := <-v.done; !errors.As(err, &bad) {
			t.Errorf("%v", err)
		}
		v.gotBack()
	})
	t.Run("hang-up", func(t *testing.T) {
		v := watch(t, cast, 40, 8, Settings{})
		v.shows("00:0")
		v.master.Close()
		select {
		case <-v.done:
		case <-time.After(10 * time.Second):
			t.Error("it goes on without a terminal")
		}
	})
	t.Run("no terminal", func(t *testing.T) {
		out, err := os.Create(t.TempDir() + "/out")
		must(t, err)
		defer out.Close()
		null, err := os.Open(os.DevNull)
		must(t, err)
		defer null.Close()
		must(t, Run(t.Context(), bytes.NewReader(cast), Options{In: null, Out: out, NoWait: true}))
		if b, err := os.ReadFile(out.Name()); err != nil || string(b) != "one two three\n" {
			t.Errorf("%q, %v", b, err)
		}
	})
}

// drawn is all that a painter may send.
var drawn = regexp.MustCompile(`^\x1b\[(\d+;\d+H|\d+G|0(;\d+)*m|2J|\?(1049|7|25|2026)[hl])`)

func checkDrawn(t *testing.T, raw []byte) {
	t.Helper()
	for len(raw) > 0 {
		if seq := drawn.Find(raw); seq != nil {
			raw = raw[len(seq):]
			continue
		}
		r := []rune(string(raw[:min(4, len(raw))]))[0]
		if r < ' ' || r >= 0x7f && r <= 0x9f || unicode.Is(unicode.Cf, r) && r != 0xad {
			t.Fatalf("%.40q reached the viewer", raw)
		}
		raw = raw[len(string(r)):]
	}
}

// Whatever a program printed and whoever typed, the viewer's terminal gets only positions, colours
// and characters.
func FuzzPainted(f *testing.F) {
	for _, s := range []string{"\x1b]52;c;x\x07\x1b[6n", "\x1b[31m日e\u0301\x1b[?1049h",
		"\u202e\u009b6n\x9b\x1bP\x1b\\", "\x1b[8mhidden\x1b[?5h"} {
		f.Add([]byte(s), "human:"+s, uint8(20), uint8(5))
	}
	f.Fuzz(func(t *testing.T, out []byte, label string, cols, rows uint8) {
		k := record(t, audit.Header{Cols: 20, Rows: 4, Command: label})
		must(t, k.Output(audit.CodeOutput, out))
		must(t, k.Input(label, out))
		must(t, k.Output(audit.CodeOutput, out))
		if len(label) < 1000 {
			must(t, k.Mark(label))
		}
		p := open(t, k.done(), Settings{Title: label, Marks: []Mark{{1, label}}})
		press(p, "G")
		var paint painter
		checkDrawn(t, bytes.ToValidUTF8(paint.paint(p.Frame(int(cols), int(rows))), []byte("\xff")))
		p.query = query{label}
		press(p, "g", "n")
		checkDrawn(t, paint.paint(p.Frame(int(cols), int(rows))))
	})
}
