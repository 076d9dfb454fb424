//go:build linux || darwin

package session

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// In "tada-run git log | less" the keys are meant for less, and in "x=$(tada-run fzf)" for
// fzf; both look the same from the descriptors. So a run that is not alone on its terminal
// leaves it untouched until the command shows that it wants keys: it changed its own
// terminal's modes, or it blocks in a read of that terminal.
//
// Looking costs a walk over /proc, so it is done only when there is a reason to: a moment after the
// command printed something (a prompt, perhaps), or when keys were typed and no other process took
// them; and less and less often.

const (
	firstLook = 50  // milliseconds from the reason to the look
	laterLook = 400 // what that grows to, by doubling, while looks find nothing
)

type lazy struct {
	master int    // of the private terminal
	modes  uint64 // the local modes it started with
	device uint64 // the number of the private terminal

	decided  bool        // the command wants the keys
	due      bool        // a look is due after patience
	patience int         // milliseconds
	armed    atomic.Bool // output is a reason
}

// watched are the modes that a program changes when it takes keys one by one or hides them.
const watched = unix.ICANON | unix.ECHO

func newLazy(master int, device uint64) *lazy {
	l := &lazy{master: master, device: device, patience: firstLook}
	l.modes = l.current()
	l.armed.Store(true)
	return l
}

func (l *lazy) current() uint64 {
	t, err := unix.IoctlGetTermios(l.master, getTermios)
	if err != nil {
		return l.modes
	}
	return uint64(t.Lflag) & watched
}

// check looks. Output that comes from now on is a reason for the next look.
func (l *lazy) check() {
	l.due = false
	l.armed.Store(true)
	l.decided = l.current() != l.modes || hasReader(l.device)
	l.patience = min(2*l.patience, laterLook)
}
