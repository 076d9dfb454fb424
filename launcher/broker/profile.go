package broker

import (
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// A Profile is what the broker may grant to the processes of one run.
type Profile struct {
	// Shared is set if the run shares the machine's mounts, process ids and network (level base).
	// Private namespaces enforce what the broker must enforce otherwise.
	Shared bool
	// Write are the trees in which the run may change files, and so their mode, owner, times and
	// attributes, but for what ReadOnly names.
	Write    []Tree
	ReadOnly []string
	// Hide is what is hidden from the run, wherever it is.
	Hide []string
	// Guard is what stays as it is or out of reach in the trees of Write; nil for nothing, and
	// where mounts of the run's own see to it.
	Guard *Guard
	// Terminals lets the run make terminals of its own, where it shares those of the machine.
	Terminals bool
	// View is what the run may do in the directories that all programs share; nil when the kernel
	// alone decides about them.
	View *View
	// InPlace has the broker open all that could be changed in place, where it sees the calls
	// (View, Guard, Changes); nil leaves what is in trees to the kernel.
	InPlace *InPlace
	// Network is what may be reached; nil when the network is none or all of the machine's.
	Network *Network
	// Changes is told what is about to be changed in the trees of Write, and where it
	// says so, of what the workspace has made in the directories of View; nil when nothing is kept.
	Changes *Capture
	// Scripts are files of code whose text was judged.
	Scripts []Script
	// Request is a descriptor that every process of the run may ask for; see [RequestSocket].
	Request *os.File
}

// A View is the shared directories as a run has them: it reads what is there, and makes, changes
// and removes only entries of its workspace's own.
type View struct {
	Dirs []string // absolute, links resolved
	// Ledger is the file that remembers what the runs of the workspace have made; "" for none.
	Ledger string
	// Open are patterns (path.Match) of folders that another program of this user made and in which
	// the run may make entries: those for temporary files that the caller names.
	Open []string
	// Makes are patterns of folders that the run may make although programs look for them.
	Makes []string
	// Named are names that a person has allowed to be changed; one that ends in a slash means all
	// that is below.
	Named []string
	// Linked are files with hard links outside of the trees that a person has allowed to be changed
	// in place; elsewhere too, not only in these directories.
	Linked []string
	// Hide are names that stay out of reach. Reads says that the kernel lets the run read nothing
	// that is made after its start, because of them.
	Hide  []string
	Reads bool
	// Inside is a directory with a file system in memory that only the run has, at a name where
	// outside nothing can be made; "" when it has none. FIFOs and sockets are there.
	Inside string
	// System are trees of programs, to which a symbolic link may lead.
	System []string
}

// An InPlace is what a run may open for writing beside what is in its trees.
type InPlace struct {
	// Private are directories that only the run has, in memory.
	Private []string
	Devices []string // character devices
	// Terminal is that of the command. OwnTerminals says that all others it finds are the run's.
	Terminal     *os.File
	OwnTerminals bool
}

// A Script is a file of code, as it was judged.
type Script struct {
	Names []string // by which it is opened: absolute, each in its [Spelling]
	ID    Identity // what it was at that time
	File  *os.File // a copy of its text that nothing can change
	By    []string // the programs that execute such files, by their base names without a version
	// Again are of these programs those that start themselves again when a file of theirs was
	// edited, as servers do: with the same program as its parent, one reads what is at the name.
	Again []string
	// Plain says that it is opened with O_RDONLY and no other flag. If that is so of all scripts,
	// other opens are not looked at.
	Plain bool
}

// Spelling is an absolute name without what leads nowhere. The ".." in it stays: behind a symbolic
// link it leads elsewhere.
func Spelling(name string) string {
	parts := slices.DeleteFunc(strings.Split(name, "/"),
		func(part string) bool { return part == "" || part == "." })
	return "/" + strings.Join(parts, "/")
}

// A Tree is a file or a directory with what is below it.
type Tree struct {
	Name string   // absolute, links resolved
	File *os.File // the object itself, if it is open already
}

// A Network is what may be reached, and where the run looks up names.
type Network struct {
	Reach   network.Reach
	Names   network.Resolver
	Servers []netip.AddrPort // where the run sends its lookups; the broker answers them
}

// Handed is what a run passes to the broker: the listener of its filter, and from a private network
// a socket for each of the name servers. The broker closes them.
type Handed struct {
	Listener int
	Lookups  []int
	First    func() int // the first process of the run; nil where no rule has Lead
}
