package console

import "github.com/tada-run/tada-run/approval/render"

// mostLines is how many lines wait for a terminal that does not read.
const mostLines = 256

// maxLine is how much of a line the terminal shows, in bytes.
const maxLine = 1000

// queued returns a function that passes lines on in their order and never waits: no answer waits
// for the terminal. Browsers have written parts of some lines, and the terminal shows codes: so
// nothing in a line is more than text, and it stays one line.
func queued(say func(string)) func(string) {
	lines := make(chan string, mostLines)
	go func() {
		for line := range lines {
			say(render.Inert(line[:min(len(line), maxLine)]))
		}
	}()
	return func(line string) {
		select {
		case lines <- line:
		default:
		}
	}
}
