package sandbox

// Level says how much of the sandbox stands. Its zero value is no sandbox at all, which
// Start never gives: it is the worst answer a Receipt or a Report can hold.
type Level int

// The levels, weakest first.
const (
	None Level = iota // nothing held
	Base              // Landlock and seccomp
	// user, mount, pid, ipc, uts and network namespaces, then Landlock and seccomp
	Strong
)

// String returns "none", "base" or "strong".
func (l Level) String() string {
	switch l {
	case Base:
		return "base"
	case Strong:
		return "strong"
	}
	return "none"
}

// A Protection is one thing that the sandbox keeps from happening.
type Protection string

// The protections that some level or some kernel does not give. All others hold at every level, or
// Start refuses.
const (
	Namespaces Protection = "namespaces"       // the child sees only its own processes, mounts and network
	Processes  Protection = "processes"        // command lines and states of processes outside cannot be read
	Metadata   Protection = "metadata"         // mode, owner, times and attributes outside the writable trees cannot be changed
	HiddenList Protection = "hidden-names"     // names in a hidden folder cannot be listed; a hidden name tells nothing to stat(2), inotify(7) and readlink(2)
	Keeping    Protection = "read-only-inside" // what is kept read-only in a writable tree stays as it is
	Signals    Protection = "signals"          // processes outside cannot be signalled
	Tree       Protection = "tree"             // nothing outlives the launcher
	Truncation Protection = "truncation"       // files outside the writable trees cannot be truncated
	DeviceCtl  Protection = "device-control"   // devices that were not allowed cannot be controlled with ioctl
	Localhost  Protection = "localhost"        // servers of the run are reached from outside it, and servers of this machine from the run
	Loopback   Protection = "loopback"         // programs in the sandbox can talk to each other over TCP
	IPC        Protection = "ipc"              // System V memory, queues and semaphores of others cannot be reached
	PrivateTmp Protection = "private-tmp"      // temporary files of its own
	Terminals  Protection = "terminals"        // the run can make terminals of its own
	SharedMem  Protection = "shared-memory"    // POSIX shared memory works, and is private
)
