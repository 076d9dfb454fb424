package undo

import "time"

// Options are the limits of a store. The zero value keeps nothing.
type Options struct {
	Quota int64         // bytes that all runs together may hold
	File  int64         // bytes of a file that is copied
	Keep  time.Duration // how long a run can be undone; GC deletes what is older
	Own   string        // the state of tada-run, which no run reaches: it is not searched
}

// Start is a run that begins.
type Start struct {
	Run   string   // a name for the file of its journal, chosen once
	Trees []string // the folders in which it may change something, as the kernel has their names
	Of    []string // the runs that it undoes, the last one first
	// Stands says that no one was asked about the run because it can be undone. What cannot be kept
	// for certain is an error then, and what was kept stays for as long as Options.Keep.
	Stands bool
}

// End is how a run is closed.
type End struct {
	Walk int // how many entries of the trees may be looked at in search of changes; 0: none
}

// A Summary is the short form of what a run changed.
type Summary struct {
	Added, Changed, Removed int
	Reversible              string // "true", "partly" or "false"
	Lacks                   []Lack // what cannot be undone
}

// A Store has the journals and pre-images of an account's runs.
type Store struct {
	dir string
	o   Options
}

// An Info is what the head of a journal says.
type Info struct {
	Run   string
	Start int64    // nanoseconds
	Of    []string // the runs that it undoes
	Ended bool     // in order
}

// Freed is what GC did.
type Freed struct {
	Runs []string // that cannot be undone any more
	Kept int64    // bytes that the others hold
}

// standsName is a file in the folder of a run that has [Start.Stands].
const journalName, closedName, standsName = "journal", "journal.closed", "stands"
