package cli

import (
	_ "embed"
	"os"
	"strings"

	"github.com/tada-run/tada-run/launcher/shell"
)

//go:embed bare.txt
var bareText string

// errNothing is what a newcomer reads who types the name of the program.
func errNothing() error { return &usageError{msg: strings.TrimSpace(bareText)} }

// bare reports whether there is nothing to run, and nothing that only a shell takes.
func (inv *invocation) bare() bool {
	return inv.called == "tada-run" && inv.shell && inv.stdin && len(inv.args) == 0 &&
		len(inv.shellFlags) == 0 && !inv.login && !inv.prompts
}

// typedAlone reports whether a person typed the name of the program and nothing to run. Started as
// a shell in the same way, it is a session: a terminal starts its shell as the leader of a session
// of processes, and other programs start the one that SHELL names.
func (inv *invocation) typedAlone() bool {
	return inv.bare() && !inv.detached && isTerminal(os.Stdin) && !leads() && !shell.IsDefault()
}
