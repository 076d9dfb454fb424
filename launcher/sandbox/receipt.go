package sandbox

// A Receipt says which sandbox one child got. It holds what was done and tried, not what was asked
// for.
type Receipt struct {
	Level    Level
	Kernel   string   // release, as uname -r prints it
	Landlock int      // version of the Landlock interface
	Errata   int      // Landlock's fixes in this kernel, a bit each
	Profile  string   // Profile.Digest of what was asked for
	Proven   []string // what the child tried in its sandbox and was refused, before the command
	Lost     []Loss   // what does not hold
	Bounds   []Bound  // the limits that hold, and by what
}

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
