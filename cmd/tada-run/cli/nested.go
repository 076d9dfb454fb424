package cli

import (
	"errors"
	"os"

	"github.com/tada-run/tada-run/launcher"
)

// nested hands the command line to the real shell, in the place of this process. Inside a
// fence there is nothing left to decide: the run outside was judged with all that it starts,
// its fence holds for us too, and what is said here is in its transcript. It returns only
// when it fails, or when it was asked for what only the outside can answer.
func nested(inv *invocation, argv []string) error {
	if inv.check || inv.batch {
		return errInside
	}
	if inv.called != "tada-run" { // a shell's own command line is left as it stands
		return launcher.ExecShell(launcher.DialectOf(inv.called), argv, os.Environ())
	}
	shell := launcher.Shell{
		Words: inv.words, Flags: inv.shellFlags, Name: inv.name, Args: inv.args, Script: inv.script, Stdin: inv.stdin,
	}
	if inv.text != nil {
		shell.Text = *inv.text
	}
	return launcher.ExecShell(launcher.DialectOf(inv.called), shell.Plain(), os.Environ())
}

var errInside = errors.New("this runs inside a fence already, and what may happen was decided outside; run this there")
