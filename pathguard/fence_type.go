package pathguard

import "os"

// A Fence is what a plan may reach once it is allowed; the launcher builds the sandbox from it.
// Everything that is not named may be read, and not written.
type Fence struct {
	Write  []Grant // what may be written, created and deleted
	Reveal []Grant // what may be read although Hide covers it: the plan names it
	// folders of tool caches that are not there, and that a program of the plan uses
	Caches     []string
	ReadOnly   []string // existing paths below Write that stay read-only
	Hide       []string // existing paths that can be neither read nor written
	Needed     []string // the parts of Hide that stay readable: no command starts without them
	Network    bool     // more than loopback
	Hosts      []string // the hosts that the plan names; empty when any may be meant
	Require    Require  // the lowest acceptable level of the sandbox
	PrivateTmp bool
	// every write is known: Write holds the plan's targets and the caches of its programs, and
	// nothing wider
	Exact bool
	// the workspace has more folders than were searched for names to hide or protect
	Partial bool
}

// A Grant is one file, or one directory with what is below it.
//
// A kernel has no right to one name: to make, remove or rename a name is a right to its
// directory, and so to every name in it. A Grant therefore says both: what is meant, and
// through which directory it would have to go. The launcher gives the narrowest
// thing that does the job.
type Grant struct {
	Path    string   // real and existing
	Missing string   // what is to be made below Path; "" when Path itself is meant
	File    *os.File // Path, opened when the plan was made; nil for what only the policy names
	Tree    bool     // everything below Path is meant
	Cache   bool     // it is a folder of tool caches: losing what is there costs a download
	Entry   bool     // the name in its directory is meant too: it is made, renamed or deleted

	// For a Grant with Entry: the directory, as it was opened when the plan was made, and the names
	// in it that are meant. An empty list means any name: a program that replaces a file with a new
	// one chooses the temporary name. Dir is nil if the directory had changed by then, or if the
	// plan held too many files; then only the name Parent is left.
	Parent string
	Dir    *os.File
	Names  []string

	// Broad is set if the directory must not be granted as a writable tree, because its other
	// contents are worth more than the names that are meant: the root, the home, /etc, a directory
	// of keys or of files that run at login. Make the missing file beforehand and grant that, make
	// or delete the name for the command, or refuse.
	Broad bool
}
