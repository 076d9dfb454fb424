package sandbox

import (
	"syscall"
	"time"
)

// A Status is one change of a command: it exited, was ended by a signal, was stopped, or continues.
// The zero Status is none of them.
type Status struct {
	Exited   bool
	Code     int            // what it exited with, 0 to 255, when Exited
	Signal   syscall.Signal // what ended it, or 0
	CoreDump bool           // the kernel wrote a core file

	Stopped   syscall.Signal // what stopped it, or 0
	Continued bool           // it continues after a stop

	// What the command used, and those of its descendants that it waited for.
	UserTime, SystemTime time.Duration
	MaxMemory            int64 // bytes: the largest resident size of any one of them

	// Left are the names of the processes that the command left behind, and that were ended after
	// it; or that go on, where Stays says so (see Process.Stay).
	Left  []string
	Stays bool

	// Exceeded is the limit that ended the run, and Reached one at which the kernel refused it
	// more, after which it continued. A limit of one process is seen by its signal: SIGXCPU,
	// SIGXFSZ.
	Exceeded, Reached Limit
}

// Ended reports whether the command is over.
func (s Status) Ended() bool { return s.Exited || s.Signal != 0 }

// Shell returns the status as a shell's $? has it: the exit code, or 128 and the signal. A command
// that is not over is 255.
func (s Status) Shell() int {
	switch {
	case s.Signal != 0:
		return 128 + int(s.Signal)
	case s.Exited:
		return s.Code
	}
	return 255
}
