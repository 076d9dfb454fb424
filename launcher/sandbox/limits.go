package sandbox

import "time"

// Limits bound what one run may use; a zero field is no limit. Receipt.Bounds says which of them
// hold for the tree of processes as a whole, which for each process, and by what.
type Limits struct {
	Wall time.Duration // how long the run may take; then SIGTERM, Grace, SIGKILL to everything
	// how long it may tidy up after SIGTERM; 0 means 2 s, less than 0 not at all
	Grace time.Duration

	// seconds of processor time of the whole tree, and SIGXCPU for one process that used as much
	// (RLIMIT_CPU)
	CPU    uint64
	Memory uint64 // bytes that the whole tree holds; beyond it everything is killed
	// processes and threads of the whole tree; beyond it fork fails, or everything is killed
	Processes uint64
	// inotify instances of the whole tree; beyond it the kernel refuses them at Strong, and at Base
	// everything is killed
	Inotify uint64
	// inotify watches of the whole tree, at Strong; beyond it the kernel refuses them
	Watches uint64

	// Grouped has control groups made where the system lets us, for memory, processes and processor
	// time. They bound exactly, and take up to 16 ms.
	Grouped bool

	AddressSpace uint64 // bytes that one process may map, used or not (RLIMIT_AS)
	FileSize     uint64 // bytes of one file, then SIGXFSZ (RLIMIT_FSIZE)
	Files        uint64 // open files of one process (RLIMIT_NOFILE)
}

// A Limit is the name of one of the Limits.
type Limit string

// The limits. LimitOutput has no field: the process that reads the output counts it, and calls
// Process.End.
const (
	LimitWall         Limit = "wall time"
	LimitCPU          Limit = "processor time"
	LimitMemory       Limit = "memory"
	LimitProcesses    Limit = "processes"
	LimitInotify      Limit = "inotify instances"
	LimitWatches      Limit = "inotify watches"
	LimitAddressSpace Limit = "address space"
	LimitFileSize     Limit = "file size"
	LimitFiles        Limit = "open files"
	LimitOutput       Limit = "output"
)

// A Bound is one limit as it was really set.
type Bound struct {
	Limit Limit
	Value uint64 // milliseconds for times, bytes for sizes, else a number
	By    Means
	Tree  bool // holds for all processes together; otherwise for each by itself
}

// Means is what enforces a Bound.
type Means string

// The means, most exact first.
const (
	ByCgroup    Means = "cgroup"    // the kernel, for the whole tree, at once
	ByNamespace Means = "namespace" // the kernel, for the namespaces of the run, at once
	ByRlimit    Means = "rlimit"    // the kernel, at once
	ByTimer     Means = "timer"     // the launcher, at that moment
	// the launcher looks at /proc several times a second; what comes and goes in between is not
	// seen
	ByWatchdog Means = "watchdog"
)

// grace returns how long to wait between SIGTERM and SIGKILL.
func (l Limits) grace() time.Duration {
	if l.Grace == 0 {
		return 2 * time.Second
	}
	return max(l.Grace, 0)
}
