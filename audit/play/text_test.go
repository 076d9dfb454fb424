package play

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// What a person saw, as lines.
func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"colours and progress", "\x1b[32m$\x1b[0m make\r\n 10%\r 50%\r100%\r\nabc\b\bX\x1b[K\r\n",
			"$ make\n100%\naX\n"},
		{"no end of line", "x", "x\n"},
		{"a long line", strings.Repeat("0123456789", 5) + "\r\nx",
			strings.Repeat("0123456789", 5) + "\nx\n"},
		{"a long line with blanks at the edge", "0123456789012345678 next\r\n",
			"0123456789012345678 next\n"},
		{"more than a screen", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n", "1\n2\n3\n4\n5\n6\n"},
		{"blank lines between", "1\r\n\r\n2\r\n", "1\n\n2\n"},
		{"cleared", "before\r\n\x1b[H\x1b[2Jafter\r\n", "before\nafter\n"},
		{"a full-screen program", "$ vi\r\n\x1b[?1049h\x1b[H\x1b[2Jfile\r\n~\x1b[?1049l$ \r\n",
			"$ vi\nfile\n~\n$\n"},
		{"a pipe", "one\ntwo\n", "one\ntwo\n"},
		{"a tab", "a\tb\n", "a       b\n"},
		{"nothing of it is obeyed", "a\x1b]52;c;eA==\x07\x1b[6n\x1b]0;t\x07b\n", "ab\n"},
		{"nothing", "", ""},
	} {
		k := record(t, audit.Header{Cols: 20, Rows: 4})
		k.at(1, c.in)
		var b bytes.Buffer
		must(t, Text(t.Context(), &b, bytes.NewReader(k.done()), TextOptions{}))
		if b.String() != c.want {
			t.Errorf("%s: %q, want %q", c.name, b.String(), c.want)
		}
	}
	k := record(t, audit.Header{Cols: 20, Rows: 4})
	k.at(1, "out\n")
	must(t, k.Output(audit.CodeStderr, []byte("warn\nmore\n")))
	must(t, k.Exit("1"))
	cast := k.done()
	var b bytes.Buffer
	must(t, Text(t.Context(), &b, bytes.NewReader(cast), TextOptions{}))
	if b.String() != "out\nwarn\nmore\n" {
		t.Errorf("stderr: %q", b.String())
	}
	b.Reset()
	var bad *audit.BadEntry
	spoilt := bytes.Replace(cast, []byte("warn"), []byte("WARN"), 1)
	if err := Text(t.Context(), &b, bytes.NewReader(spoilt), TextOptions{}); !errors.As(err,
		&bad) || b.String() != "out\n" {
		t.Errorf("spoilt: %v, %q", err, b.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Text(ctx, io.Discard, bytes.NewReader(lines3(t)),
		TextOptions{Speed: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	start := time.Now()
	must(t, Text(t.Context(), &b, bytes.NewReader(lines3(t)),
		TextOptions{Speed: 10, Idle: 100 * time.Millisecond}))
	if time.Since(start) < 25*time.Millisecond {
		t.Error("it took no time")
	}
}

// A program's output alone decides which line ends it had.
func TestWire(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a\r\n|b\n|c", "a\r\nb\nc"},
		{"a\n|b\n|c", "a\r\nb\r\nc"},
		{"a\r|\n|b\n", "a\r\nb\n"},
		{"a|\n|", "a\r\n"},
		{"\n", "\r\n"},
		{"abc", "abc"},
	} {
		var w Wire
		var got []byte
		for _, p := range strings.Split(c.in, "|") {
			got = w.Append(got, audit.CodeOutput, []byte(p))
		}
		if string(got) != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
	var w Wire
	if got := w.Append(nil, audit.CodeStderr, []byte("x\ny")); string(got) != "x\r\ny" ||
		w.ends != unknown {
		t.Errorf("stderr: %q, and then output is taken for %v", got, w.ends)
	}
}

// A transcript of any length is written as it is read: memory does not grow with it.
func TestTextOfAnyLength(t *testing.T) {
	k := record(t, audit.Header{Cols: 80, Rows: 24})
	line := strings.Repeat("\x1b[32mok\x1b[0m  a line of a build that never ends, and goes on behind the edge of the screen\r\n", 40)
	for i := range 3000 {
		k.at(10*i, line)
	}
	cast := k.done()
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	var at [2]uint64
	lines := 0
	err := Text(t.Context(), writerFunc(func(p []byte) (int, error) {
		lines += bytes.Count(p, []byte("\n"))
		switch {
		case at[0] == 0:
			at[0] = held()
		case at[1] == 0 && lines > 100_000:
			at[1] = held()
		}
		return len(p), nil
	}), bytes.NewReader(cast), TextOptions{})
	must(t, err)
	if lines != 120_000 || at[1] == 0 {
		t.Errorf("%d lines of %d bytes", lines, len(cast))
	}
	if most := before + 8<<20; at[0] > most || at[1] > most {
		t.Errorf("of %d MiB it holds %d KiB at first, %d KiB at the end", len(cast)>>20,
			(at[0]-before)>>10, (at[1]-before)>>10)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
