package launcher

import (
	"context"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/control"
	"github.com/tada-run/tada-run/launcher/session"
)

// A console is what a command reads and writes: its terminal or pipes, and in a session the socket
// on which those inside ask.
type console struct {
	terminal *session.Session
	out      *outlet
	requests *control.Pair // nil for a single command
}

// An outlet is where the terminal's bytes go. Nothing passes before the terminal is started, and
// it is connected before that.
type outlet struct {
	*tee
	show func([]byte) // to the attached clients
}

// openConsole opens the caller's terminal or pipes for a command, or a new terminal for a session.
func openConsole(req Request) (*console, error) {
	out := &outlet{}
	if req.Hold == nil {
		terminal, err := session.Open(req.Stdio, req.PTY, out)
		return &console{terminal: terminal, out: out}, err
	}
	requests, err := control.NewPair()
	if err != nil {
		return nil, err
	}
	terminal, err := session.Hold(req.Stdio, out, func(p []byte) { out.show(p) })
	if err != nil {
		requests.Close()
	}
	return &console{terminal, out, requests}, err
}

// wire says what the command's output is written to. For a session whose output goes to a pipe and
// to a terminal as well, there is no single answer.
func (c *console) wire() string {
	if c.terminal.TTY() < 0 {
		return audit.TagPipe
	}
	if kindOf(c.terminal.ChildFiles()[1]) == "terminal" {
		return audit.TagTerminal
	}
	return ""
}

// close lets go of a console whose command was not started: nothing was relayed.
func (c *console) close() {
	_ = c.terminal.Ended(context.Background())
	c.requests.Close()
}
