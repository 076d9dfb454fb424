package cli

import (
	"os"

	"github.com/tada-run/tada-run/launcher"
)

// errNothing is what a newcomer reads who types the name of the program.
var errNothing = &usageError{msg: `no command given. It runs the command lines that an AI agent
proposes: each is checked, sandboxed and recorded, and it asks you when it matters.
  tada-run 'ls | wc -l'           run one command line
  tada-run --session -- claude    run a whole agent in the sandbox
  tadactl demo                    see how it works, in a throw-away folder
  tadactl setup                   set it up for the agents that you use
  tadactl doctor                  see whether all is well, or what to type
  tada-run --help                 all options`}

// typedAlone reports whether a person typed the name of the program and nothing to run. Started as
// a shell in the same way, it is a session: a terminal starts its shell as the leader of a session
// of processes, and other programs start the one that SHELL names.
func (inv *invocation) typedAlone() bool {
	return inv.bare && !inv.detached && isTerminal(os.Stdin) && !leads() && !launcher.IsShell()
}
