package play

import (
	"bytes"

	"github.com/tada-run/tada-run/audit"
)

// A Wire makes of a program's output what a terminal has to get. What was
// written to a terminal is that already: its driver made \r\n of every \n.
// What was written to a pipe still has \n alone, which on a terminal only goes
// down. Which of them it was shows the first line feed of the output: only
// full-screen programs switch the driver's work off, and they do not begin
// with one. Standard error is told apart only where it has a pipe of its own.
// The zero value is for the start of a transcript that does not say.
type Wire struct {
	ends lineEnds
	last byte // of the output
}

type lineEnds uint8

const (
	unknown lineEnds = iota
	terminal
	pipe
)

// NewWire is for a transcript that may say in its header what it was.
func NewWire(h audit.Header) Wire {
	switch h.Wire {
	case audit.TagPipe:
		return Wire{ends: pipe}
	case audit.TagTerminal:
		return Wire{ends: terminal}
	}
	return Wire{}
}

// Append adds p to dst; code is audit.CodeOutput or audit.CodeStderr.
func (w *Wire) Append(dst []byte, code byte, p []byte) []byte {
	if len(p) == 0 {
		return dst
	}
	if code == audit.CodeOutput {
		w.look(p)
		if w.ends != pipe {
			return append(dst, p...)
		}
	}
	for {
		line, rest, found := bytes.Cut(p, []byte{'\n'})
		dst = append(dst, line...)
		if !found {
			return dst
		}
		dst = append(dst, '\r', '\n')
		p = rest
	}
}

func (w *Wire) look(p []byte) {
	if i := bytes.IndexByte(p, '\n'); i >= 0 && w.ends == unknown {
		if i > 0 {
			w.last = p[i-1]
		}
		if w.ends = terminal; w.last != '\r' {
			w.ends = pipe
		}
	}
	w.last = p[len(p)-1]
}
