package sandbox

// A Level says how much of the sandbox there is. Its zero value is no sandbox at all, which Start
// never gives: it is the worst answer a Receipt or a Report can hold.
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
	// the child sees only its own processes, mounts and network
	Namespaces Protection = "namespaces"
	// the object that was judged is the one that is used, whatever is put under its name later
	Objects Protection = "objects"
	// command lines and states of processes outside cannot be read
	Processes Protection = "processes"
	// mode, owner, times and attributes outside the writable trees cannot be changed
	Metadata Protection = "metadata"
	// names in a hidden folder cannot be listed; a hidden name tells nothing to stat(2) and
	// readlink(2), and cannot be watched itself (inotify(7))
	HiddenList Protection = "hidden-names"
	// what is kept read-only in a writable tree stays as it is
	Keeping Protection = "read-only-inside"
	Signals Protection = "signals" // processes outside cannot be signalled
	Tree    Protection = "tree"    // nothing outlives the launcher
	// files outside the writable trees cannot be truncated
	Truncation Protection = "truncation"
	// devices that were not allowed cannot be controlled with ioctl
	DeviceCtl Protection = "device-control"
	// devices of which another program has made a node in a writable tree cannot be used
	Devices Protection = "devices"
	// servers of the run are reached from outside it, and servers of this machine from the run
	Localhost Protection = "localhost"
	// programs in the sandbox can talk to each other over TCP
	Loopback Protection = "loopback"
	// System V memory, semaphores and queues work, and are the run's own
	IPC Protection = "ipc"
	// shared directories are a view, in which the run changes nothing of others
	View Protection = "view"
	// what the run changes is kept before, so that it can be undone
	Undo       Protection = "undo"
	PrivateTmp Protection = "private-tmp"   // private temporary files
	Terminals  Protection = "terminals"     // the run can make its own terminals
	SharedMem  Protection = "shared-memory" // POSIX shared memory works, and is private
	// the limits of memory, processes, processor time, and of files
	Limited Protection = "limits"
)
