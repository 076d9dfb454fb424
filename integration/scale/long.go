package scale

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// Long writes the transcript of one session that printed about size bytes: the coloured log of a
// build, which a full-screen program interrupts again and again, with commands that are typed,
// resizes and marks. It returns what the recorder says at the end. What is left to chance depends
// on the size alone.
func Long(path string, size int64) (audit.Summary, error) {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], uint64(size))
	random := rand.NewChaCha8(seed)
	l := &long{chance: rand.New(random)}
	rec, err := audit.Create(path, audit.Header{Cols: 120, Rows: 40, Command: "make -j2 all"},
		audit.RecordOptions{Now: func() time.Duration { return l.now }, Rand: random,
			MaxBytes: size + 1<<20})
	if err != nil {
		return audit.Summary{}, err
	}
	l.Recorder = rec
	for part := 0; l.printed < size && l.err == nil; part++ {
		l.part(part)
	}
	sum, err := rec.Close()
	if l.err != nil {
		err = l.err
	}
	return sum, err
}

// A long is a long session being recorded.
type long struct {
	*audit.Recorder
	chance  *rand.Rand
	now     time.Duration
	printed int64
	lines   int
	err     error // the first one
}

// do notes the error of a call of the recorder.
func (l *long) do(err error) {
	if l.err == nil {
		l.err = err
	}
}

func (l *long) print(text []byte) {
	l.now += time.Duration(l.chance.IntN(20)) * time.Millisecond
	l.printed += int64(len(text))
	l.do(l.Output(audit.CodeOutput, text))
}

// part is a command that is typed, what it prints, and a look at it in a full-screen program.
func (l *long) part(n int) {
	l.do(l.Mark(fmt.Sprintf("part %d", n)))
	if n%5 == 4 {
		l.do(l.Resize(80+l.chance.IntN(80), 24+l.chance.IntN(30)))
	}
	l.print([]byte("$ "))
	for _, key := range []byte(fmt.Sprintf("make part-%d\r", n)) {
		l.do(l.Input("human:1000@pts/1", []byte{key}))
		if key == '\r' {
			l.print([]byte("\r\n"))
			continue
		}
		l.print([]byte{key})
	}
	for range 60 {
		l.print(l.log())
	}
	l.print([]byte("\x1b[?1049h\x1b[H\x1b[2J"))
	for range 20 {
		l.print(l.redrawn())
	}
	l.print([]byte("\x1b[?1049l"))
}

// log is as much of the log as a terminal passes on at once.
func (l *long) log() (text []byte) {
	for len(text) < 4000 {
		l.lines++
		text = fmt.Appendf(text,
			"\x1b[32m[%3d%%]\x1b[0m Building \x1b[1;34mobj/%08x.o\x1b[0m from src/unit-%d.c\r\n",
			l.lines%100, l.chance.Uint32(), l.lines)
		if l.lines%9 == 0 {
			text = fmt.Appendf(text,
				"src/unit-%d.c:%d:7: \x1b[1;35mwarning:\x1b[0m unused variable ‘%c’ in a "+
					"function whose name is longer than the terminal is wide, so that it goes "+
					"on in the next row of the screen\r\n",
				l.lines, l.chance.IntN(900), 'a'+l.lines%26)
		}
	}
	return text
}

// redrawn is a screen of a program that shows processes.
func (l *long) redrawn() (text []byte) {
	for y := range 24 {
		text = fmt.Appendf(text,
			"\x1b[%d;1H\x1b[3%dm%6d\x1b[m %5.1f%% \x1b[7m%-*s\x1b[27m\x1b[K", y+1, y%8,
			l.chance.IntN(1e6), l.chance.Float64()*100, l.chance.IntN(60), "cc1")
	}
	return text
}
