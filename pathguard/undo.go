package pathguard

import (
	"cmp"
	"time"
)

// Undo is what is kept of the changes of runs, so that they can be taken back. In a configuration
// zero is unset, and -1 is none.
type Undo struct {
	Keep   time.Duration // for how long
	Quota  int64         // bytes of all runs together; without any, nothing is kept
	File   int64         // bytes of a file that has to be copied
	Except []string      // folders and files of which nothing is kept
	// a loss of files in the workspace is a question even where it is certain that undo brings all
	// back
	AsksAnyway bool
}

// defaultUndo is for people who take back what happened this week.
var defaultUndo = Undo{Keep: 7 * 24 * time.Hour, Quota: 2 << 30, File: 256 << 20}

// inForce is u with the defaults for what is unset.
func (u Undo) inForce() Undo {
	u.Keep = cmp.Or(u.Keep, defaultUndo.Keep)
	u.Quota = max(cmp.Or(u.Quota, defaultUndo.Quota), 0)
	u.File = max(cmp.Or(u.File, defaultUndo.File), 0)
	return u
}
