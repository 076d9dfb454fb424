package past

import (
	"time"

	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// A Reader reads the runs of a record.
type Reader struct {
	*record.Record
	dir       *state.Directory
	approvals *permit.Approvals // which questions have no answer yet
}

// Of returns the runs of a record in a state directory.
func Of(r *record.Record, dir *state.Directory, a *permit.Approvals) *Reader {
	return &Reader{r, dir, a}
}

// waiting are the questions that have no answer yet. The log can be read without the store of
// approvals: where that cannot be read, none is known.
func (p *Reader) waiting() map[string]bool {
	ctx, cancel := permit.StoreContext()
	defer cancel()
	list, err := p.approvals.Pending(ctx)
	if err != nil {
		return nil
	}
	ids := make(map[string]bool, len(list))
	for _, e := range list {
		ids[e.ID] = e.Decision == nil
	}
	return ids
}

// TimeOf is when what is recorded about a run may begin. The clock of the log is read after the one
// of the id.
func TimeOf(id string) time.Time { return state.TimeOf(id).Add(-time.Minute) }

// answerLife is how far from a run an entry about its question may be: a question lives for an
// hour, and its approval no longer.
const answerLife = 3 * time.Hour
