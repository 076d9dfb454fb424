package network

import (
	"fmt"
	"net/netip"
	"path"
)

// Servers remembers the servers that runs have on this machine, each by the kernel's number of its
// socket (SO_COOKIE), which no other socket gets until the machine is restarted.
type Servers interface {
	// Add notes a server of the run.
	Add(socket uint64)
	// Whose returns the workspace whose run has a server, "" where no run has it. Own says that it
	// is the workspace of this run.
	Whose(socket uint64) (workspace string, own bool)
	// Of returns the same for a server that the processes have, if they are of one run whose
	// servers are not noted.
	Of(pids []int) (workspace string, own bool)
}

// A Listener is a socket of this machine that takes TCP connections.
type Listener struct {
	Socket uint64 // the kernel's number
	Addr   netip.Addr
	Only6  bool   // at all addresses, but not at those of IPv4
	Inode  uint32 // of the socket, as /proc/PID/fd has it
	UID    uint32
}

// A Holder is a process that has a listening socket.
type Holder struct {
	PID          int
	Program, Dir string // the file that runs, and the folder it works in
}

// String names the program.
func (h Holder) String() string {
	return path.Base(h.Program) + " (" + h.Program + " in " + h.Dir + ")"
}

// takes reports whether connections to an address can be the listener's.
func (l Listener) takes(addr netip.Addr) bool {
	at := l.Addr.Unmap()
	switch {
	case at == addr:
		return true
	case !at.IsUnspecified():
		return false
	}
	return at.Is4() == addr.Is4() || at.Is6() && !l.Only6
}

// ofUser is a listener of which no process can be looked at.
func ofUser(l Listener) string {
	return fmt.Sprintf("a program of the user %d, which cannot be looked at", l.UID)
}
