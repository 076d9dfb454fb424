package cli

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"
)

// A progress is a line about work that goes on, on a terminal. It is not shown for work that is
// soon done.
type progress struct {
	out   *os.File // nil shows nothing
	began time.Time
	last  time.Time
	shown bool
}

// progress returns one on standard error, if a person sees that.
func (c *ctl) progress() *progress {
	out, ok := c.err.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) || os.Getenv("TERM") == "dumb" || c.json {
		out = nil
	}
	return &progress{out: out, began: time.Now()}
}

// patience is after how long a line is shown, and often how often it changes.
const (
	patience = 500 * time.Millisecond
	often    = 100 * time.Millisecond
)

const barWidth = 30

// step shows how far the work has come.
func (p *progress) step(what string, done, total int64) {
	now := time.Now()
	if p.out == nil || total <= 0 || now.Sub(p.began) < patience || now.Sub(p.last) < often {
		return
	}
	p.last, p.shown = now, true
	bar := make([]byte, barWidth)
	for i := range bar {
		bar[i] = '.'
		if int64(i)*total < done*barWidth {
			bar[i] = '#'
		}
	}
	fmt.Fprintf(p.out, "\r%-12s [%s] %3d %%", what, bar, done*100/total)
}

// end removes the line.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
