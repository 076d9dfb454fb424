//go:build linux || darwin

package sandbox

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// A beltStart is a command that is to start in Seatbelt: the words for sandbox-exec, which enters
// it and becomes the command.
type beltStart struct {
	enter string // the program that enters it
	words []string
	attr  os.ProcAttr
}

// enterBelt returns how to start a command with a profile as text. A command has a session of its
// own: so it cannot reach the caller's terminal, and all of it can be found when it ends. Its
// Argv[0] is its path, because sandbox-exec has no way to give another.
func enterBelt(enter, text, dir string, c Command) (beltStart, error) {
	if len(c.Inherit) > 0 || c.Request != nil {
		return beltStart{}, fmt.Errorf("%w: in Seatbelt a command inherits no descriptor beside "+
			"its files", ErrUnsupported)
	}
	words := append([]string{enter, "-p", text, "--", c.Path}, c.Argv[min(1, len(c.Argv)):]...)
	attr := os.ProcAttr{Dir: dir, Files: slices.Clone(c.Files), Env: append([]string{}, c.Env...),
		Sys: &unix.SysProcAttr{Setsid: true}}
	if c.HasTTY {
		attr.Sys.Setctty, attr.Sys.Ctty = true, c.TTY
	}
	return beltStart{enter, words, attr}, nil
}

// start starts it.
func (s beltStart) start() (*beltProcess, error) {
	process, err := os.StartProcess(s.enter, s.words, &s.attr)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return &beltProcess{process: process}, nil
}
