package upkeep

import (
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// A Keeper verifies, proves and maintains the record of one state directory.
type Keeper struct {
	record    *record.Record
	dir       *state.Directory
	approvals *permit.Approvals
	aging     Aging
}

// An Aging is what grows old beside the record, and how it is given up.
type Aging struct {
	Quota func() int64 // of transcripts, in bytes
	// Archives gives up versions of protected files from before a moment, and says of how many.
	Archives func(log *audit.Log, before time.Time) (int, error)
	Undo     func() (int, error) // the same for runs that could be undone
}

// Of returns the keeper of a record. The store of approvals is one more witness of where its log
// ends.
func Of(r *record.Record, dir *state.Directory, a *permit.Approvals, aging Aging) *Keeper {
	return &Keeper{r, dir, a, aging}
}
