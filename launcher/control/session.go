package control

import (
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
)

// A Session is a run that others attach to.
type Session struct {
	ID, Command, Tier string        // as clients are shown it
	Author            string        // of what the program types that started it
	Front             *os.File      // connected to that program, which drives first; nil for none
	Folder            string        // of the sockets
	Ground            string        // the tree that it may write
	Takeover          bool          // policy lets people take over
	Patience          time.Duration // for what a client has begun to say
	Terminal          *session.Session
	Process           *sandbox.Process
	Host              Host
}

// A Host is what the run does for attached clients.
type Host interface {
	Now() time.Time
	Record(kind string, body Body, d audit.Durability) error // in the log
	Mark(label string) error                                 // in the transcript
	Caller(pid string) approval.Caller                       // the kernel's facts about a process
	// the session's shell says that a line has ended
	LineEnded(status *int)
}

// A Body is that of a log entry.
type Body = map[string]any
