package undo

// A Take says what is to be taken back.
type Take struct {
	Runs     []string // the last one first
	Paths    []string // only these and what is below them; none: all
	KeepBoth bool     // where there is a conflict, what was before is written beside
}

// A Step is what an undo does, or did, to a path.
type Step struct {
	Path string
	Do   Do
	Why  string // of a Refuse or Beside
}

// Do is the kind of a step.
type Do string

const (
	Refuse  Do = "refuse"  // someone else changed it later, or it cannot be done
	Remove  Do = "remove"  // the run made it
	Restore Do = "restore" // the run removed or renamed it
	Replace Do = "replace" // the run replaced it
	Rewrite Do = "rewrite" // the run changed its content
	Mark    Do = "mark"    // the run changed its mode, owner, times or attributes
	Beside  Do = "beside"  // as Refuse, and what was before is beside it
)

// A Result is what an undo did.
type Result struct {
	Run     string // of the undo; it can be undone like any
	Steps   []Step
	Refused int // how many of the steps are Refuse or Beside
}
