package sandbox

// A Receipt says which fence one child got. It holds what was done, not what was asked for.
type Receipt struct {
	Level    Level
	Kernel   string   // release, as uname -r prints it
	Landlock int      // version of the Landlock interface
	Errata   int      // its fixes, a bit each
	Proven   []string // what the child tried, in its fence, and was refused
	Lost     []Loss   // protections that this level or this kernel does not give
}

// A Loss is a protection that does not hold.
type Loss struct {
	Protection string
	Why        string
}
