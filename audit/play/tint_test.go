package play

import (
	"bytes"
	"errors"
	"io"
	mathrand "math/rand/v2"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/screen"
)

// tinted returns what a terminal gets of a transcript, with the authors' colours and without.
func tinted(t *testing.T, cast []byte) (colored, plain []byte) {
	t.Helper()
	r, err := audit.NewReader("a", bytes.NewReader(cast))
	must(t, err)
	tint, wire := NewTint(r.Header), NewWire(r.Header)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return colored, plain
		}
		must(t, err)
		colored = tint.Append(colored, e)
		if isOutput(e.Code) {
			plain = wire.Append(plain, e.Code, e.Data)
		}
	}
}

// The echo has its author's colour, and what follows has the program's own.
func TestTint(t *testing.T) {
	k := record(t, audit.Header{Cols: 40, Rows: 6})
	k.at(1, "\x1b[31;1m$ ")
	must(t, k.Input("agent:claude", []byte("ls\r")))
	k.at(2, "ls")
	k.at(3, "\r\nls\r\n")
	must(t, k.Input("human:1000@pts/3", []byte("pwd")))
	k.at(4, "pw\x1b[0md\r\n")
	must(t, k.Input("term:xterm", []byte("\x1b[?6c")))
	k.at(5, "\x1b[?6c") // looks like an echo, and is a sequence
	must(t, k.Input("person", []byte("31m")))
	k.at(6, "\x1b[31m")
	got, _ := tinted(t, k.done())
	want := "\x1b[31;1m$ " +
		"\x1b[0;4;38;5;6mls\x1b[0;1;38;5;1m" + "\r\nls\r\n" +
		"\x1b[0;4;38;5;3mpw\x1b[0;1;38;5;1m\x1b[0md\r\n" +
		"\x1b[?6c" + "\x1b[31m"
	if string(got) != want {
		t.Errorf("a terminal gets\n%q, want\n%q", got, want)
	}
}

// Whatever is typed and printed, only colours change.
func TestTintChangesColoursOnly(t *testing.T) {
	pieces := []string{"ls", "\r", "\r\n", "\x1b", "[", "1", ";", "3", "m", "A", "日本", "\xe6",
		"\x1b[7m", "\x1b[2J", "\x1b]0;", "\x07", "\x1b[?1049h", "\x1b7", "\x1b8", "\n", "\t"}
	rnd := mathrand.New(mathrand.NewPCG(3, 5))
	for range 300 {
		k := record(t, audit.Header{Cols: 12, Rows: 4})
		for i := range 40 {
			k.now = time.Duration(i) * time.Millisecond
			p := []byte(pieces[rnd.IntN(len(pieces))])
			if rnd.IntN(2) == 0 {
				must(t, k.Input([]string{"person", "agent:x"}[rnd.IntN(2)], p))
			}
			if rnd.IntN(4) > 0 {
				must(t, k.Output(audit.CodeOutput, p))
			}
		}
		colored, plain := tinted(t, k.done())
		a, b := screen.New(12, 4), screen.New(12, 4)
		_, _ = a.Write(colored)
		_, _ = b.Write(plain)
		ax, ay, _ := a.Cursor()
		bx, by, _ := b.Cursor()
		if a.String() != b.String() || a.Pen() != b.Pen() || ax != bx || ay != by {
			t.Fatalf("%q and %q draw\n%q and\n%q", colored, plain, a, b)
		}
	}
}
