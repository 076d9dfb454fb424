package play

import (
	"bytes"
	"fmt"

	"github.com/tada-run/tada-run/audit"
)

// A Wire turns a program's output into what a terminal must receive. Output written to a terminal
// already is that: the terminal driver replaced every \n with \r\n. Output written to a pipe still
// has plain \n, which on a terminal only goes down. The first line feed of the output shows which
// of the two it was: only full-screen programs turn off the driver's translation, and they do not
// begin with a line feed. Standard error is treated separately only if it has a pipe of its own.
// The zero value is for the start of a transcript that does not say what it was.
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

// NewWire returns a Wire for a transcript, whose header may say what it was.
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

// Event adds what an event draws to dst: output, or how much of it is missing there.
func (w *Wire) Event(dst []byte, e audit.Event) []byte {
	switch {
	case e.Code == audit.CodeGap:
		return fmt.Appendf(dst, "[%s of output not kept]", audit.Plural(e.Length, "byte"))
	case !isOutput(e.Code):
		return dst
	case e.Redacted:
		return fmt.Appendf(dst, "[redacted, %s]", audit.Plural(e.Length, "byte"))
	}
	return w.Append(dst, e.Code, e.Data)
}

func isOutput(code byte) bool { return code == audit.CodeOutput || code == audit.CodeStderr }

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
