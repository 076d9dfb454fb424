package cli

import (
	"time"

	"github.com/tada-run/tada-run/launcher"
)

// An invocation is the command line of tada-run, read but not yet judged.
type invocation struct {
	help, version bool
	check, json   bool
	background    bool    // start it and return
	line          *string // from the shell of a session, to be judged before the shell runs it
	entry         int     // number of the line in that shell's history
	session       bool    // others can attach, and it outlives this terminal
	detached      bool    // run as the launcher that stays with it
	// run as the launcher behind the process that was called, and possibly outlive it; nil if that
	// is this one
	keeper *keeper

	publish []uint // ports on which other machines may reach the command

	agent, workItem, callID, intent, profile, origin, pty string
	timeout, wait                                         time.Duration

	place launcher.Place // --home is its state directory

	batch      bool     // the commands of --intent
	shell      bool     // called as a shell: -c, -s, a script file, or by name
	text       *string  // the command line; nil if it must be read
	words      []string // after --: one command without shell syntax
	script     string   // a script file
	stdin      bool     // -s, or a shell without operands
	prompts    bool     // -i without a command: an interactive shell
	login      bool
	shellFlags []string // for the real shell, unchanged
	called     string   // the base name that the program was called by
	name       string   // $0
	args       []string // $1 ...
}

// at completes the place by that of the process; --home takes precedence.
func (inv *invocation) at(p launcher.Place) {
	if inv.place.State == "" {
		inv.place.State = p.State
	}
	inv.place.Account = p.Account
}

// A usageError ends with exit status 2.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string { return e.msg }
