package sandbox

// A Receipt says which fence one child got. It holds what was done and tried, not what was asked for.
type Receipt struct {
	Level    Level
	Kernel   string   // release, as uname -r prints it
	Landlock int      // version of the Landlock interface
	Errata   int      // Landlock's fixes in this kernel, a bit each
	Profile  string   // Profile.Digest of what was asked for
	Proven   []string // what the child tried behind its fence and was refused, before the command
	Lost     []Loss   // what does not hold
	Bounds   []Bound  // the limits that hold, and by what
}

// A Protection is one thing that the fence keeps from happening.
type Protection string

// The protections that some level or some kernel does not give. All others hold at every level, or Start refuses.
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
	Loopback   Protection = "loopback"         // programs in the fence can talk to each other over TCP
	IPC        Protection = "ipc"              // System V memory, queues and semaphores of others cannot be reached
	PrivateTmp Protection = "private-tmp"      // temporary files of its own
	Terminals  Protection = "terminals"        // the run can make terminals of its own
	SharedMem  Protection = "shared-memory"    // POSIX shared memory works, and is private
)

// A Loss is a protection that does not hold.
type Loss struct {
	Protection Protection
	Why        string
}

// A Report says what this machine can give, found by trying.
type Report struct {
	Level    Level // the best that worked
	Kernel   string
	Landlock int
	Errata   int
	Findings []Finding
	Lost     []Loss // what that level does not give to a run that would need all of it
}

// A Finding is one thing that was tried.
type Finding struct {
	Name   string
	OK     bool
	Detail string // what was seen
	Fix    string // what to type or change when it is not OK; empty when nothing is known
}
