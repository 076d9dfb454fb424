package launcher

import (
	"context"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// A Request is one command line to run. It carries everything that the run depends on: below this
// floor nothing reads the clock, the environment or the directory.
type Request struct {
	Shell shell.Call // how the text is to be read and run
	Tool  *Tool      // when not nil, what another program does itself, in place of a text
	Env   []string   // the caller's environment, NAME=value
	Dir   string     // the caller's directory, absolute; "" when it is gone
	Stdio session.Stdio
	PTY   session.PTY
	// descriptors above 2 that the command gets under the same number, if what they lead to is
	// within its reach; see Inherited
	Files []int

	// which door the request came through, "" for the command line; the door says so, not its
	// caller
	Door     tamper.Interface
	Agent    string // the agent's own name for itself: shown, recorded, never trusted
	WorkItem string
	CallID   string
	Profile  string // "" or "ci"
	// whose words led to it: "", "human", "agent" or "quarantined"; it can only lower what the door
	// is trusted
	Origin string
	Intent pathguard.Intent // the caller's own judgement; it can only make the verdict stricter

	Publish []uint16 // ports on which other machines may reach the command

	Timeout time.Duration // of the command; 0 is none
	Wait    time.Duration // how long to wait for a person who is not at this terminal

	Within *Within // it runs inside of a session that is there already; nil for outside
	// what the command leaves running may go on, where the configuration says so; nil where it ends
	// with it
	Keep *Keep
	Hold *Hold // a session, which lasts when its terminal goes away; nil for a single command

	layers int // how many texts of programs were taken off

	// Started is called with the session's id when the command runs and that is on record; it
	// may be nil.
	Started func(id string)

	// Ask puts an envelope before the person at this terminal. It is nil where no terminal
	// can be trusted with the question.
	Ask func(context.Context, approval.Envelope) (approval.Decision, error)
}

// A Within says where a request from inside came from.
type Within struct {
	Session string // the id of the session
	Stdin   string // what kind of file standard input is there
	Line    bool   // it is a line of a shell that ran others before
}

// maxInherited is the highest of a Request's Files that is passed on: scripts name small ones.
const maxInherited = 255

// An Outcome is what came of a Request.
type Outcome struct {
	Session  string // the id of the run, for `tadactl replay`
	Envelope string // the id of the approval that it waits for or used
	Status   int    // the exit status of tada-run, as DESIGN gives them
	Signal   int    // the signal that ended the command, 0 for none
	Refusal  *refusal.Refusal
	// open questions about connections that the command wanted; it was refused them, and ran on
	Asked []refusal.Connection
	Stood bool // no one was asked because it can be undone
	past.RunChanges
}

// A Keep is what a Request needs for that; nil if there is no caller who could learn that the
// command has ended before its processes have.
type Keep struct {
	From int                 // the process that was called
	Over func(Outcome) error // reports how the command ended, and releases what the caller owns
}

// A Hold makes a request a session: its terminal belongs to no caller's, people and programs attach
// to it and leave, and it lasts until its program ends.
type Hold struct {
	// connected to the client that started it, which has control until another takes over; nil for
	// none
	Front  *os.File
	Author string // of what is typed there: "person", or "agent:NAME"
	Shell  bool   // an interactive shell, which asks about each line before it runs it
	Door   string // the path of tada-run, for that shell
}

// profileCI is the profile of a machine without people.
const profileCI = "ci"
