package play

import (
	"bytes"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
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
	r, err := audit.Create(k.path, h,
		audit.RecordOptions{Now: func() time.Duration { return k.now }, Rand: rand.Reader})
	must(t, err)
	k.Recorder = r
	return k
}

// at advances the clock to a time and records output then.
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
	t.Cleanup(p.Close)
	p.Tick(0)
	return p
}

// press sends keys and waits until the work that they started is done.
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

// busy records a session with one of everything, some megabytes long.
func busy(t testing.TB, events int) []byte {
	k := record(t, audit.Header{Cols: 40, Rows: 10})
	rnd := mathrand.New(mathrand.NewPCG(7, 7))
	for i := range events {
		k.now += time.Duration(rnd.IntN(40)) * time.Millisecond
		must(t, k.Output(audit.CodeOutput,
			fmt.Appendf(nil, "\x1b[%d;%dH\x1b[3%dm%05d 日本\x1b[0m\r\n", rnd.IntN(10)+1,
				rnd.IntN(40)+1, i%8, i)))
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
			must(t, k.Output(audit.CodeOutput,
				bytes.Repeat([]byte("filler of a long line\r\n"), 600)))
		}
	}
	return k.done()
}
