package resolve

import "time"

// A Kept says what undo keeps of a run. The zero value is a run of which nothing is kept.
type Kept struct {
	On     bool          // what the run changes in the folders where it may write is kept
	Why    string        // why it is not on
	For    time.Duration // how long
	Room   int64         // how many bytes may be kept of all runs
	Except []string      // folders and files of which nothing is kept
	Lacks  []string      // what is not kept of this run, for other reasons than its files
	// Unsure says why it is not certain that all of it will be kept; "" if it is. Nil: it is not.
	Unsure func() string
}
