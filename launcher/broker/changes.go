package broker

// Changes keeps what a run is about to change in the trees where it may write, so that it can be
// taken back. Each method returns before the change is made. A change that fails after it was
// announced has changed nothing, and costs nothing. An error means that something could not be
// kept: it is noted there, and the change is made all the same.
//
// A directory is passed as a handle (O_PATH) with the name that the kernel has for it. Handles
// belong to the broker.
type Changes interface {
	// Make announces an entry: a file, a directory, a link, whatever.
	Make(dir int, in, name string) error
	// MakeNext is Make for one more entry of a folder. It needs rights to that folder alone, and
	// reports false where it has announced nothing.
	MakeNext(dir int, in, name string) bool
	// Remove announces that an entry goes.
	Remove(dir int, in, name string) error
	// Move announces that an entry gets another place, where it replaces what is there or is
	// exchanged with it.
	Move(dir int, in, name string, to int, toIn, toName string, exchange bool) error
	// Write announces that the content of a file may change in place.
	Write(handle int, full string) error
	// Mark announces that a mode, an owner, times or attributes change.
	Mark(handle int, full string) error
	// IsNew reports whether what was made at this time (in ns) needs no mark, as nothing is kept
	// of it.
	IsNew(birth int64) bool
	// Miss reports a change that the broker could not place. The name is the caller's own.
	Miss(name, why string)
}

// A Capture says to whom changes are announced.
type Capture struct {
	Changes
	// Shared has what the workspace has made in shared directories announced too.
	Shared bool
	// Except are trees, absolute and with links resolved, of which nothing is kept.
	Except []string
	// Strict refuses a change of which nothing could be kept. The broker itself makes each call
	// that could lose something, on what it has kept.
	Strict bool
}
