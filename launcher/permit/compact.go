package permit

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/launcher/state"
)

// Compact makes the store as small as what it holds, and says how many bytes that saved.
func (p *Approvals) Compact(ctx context.Context) (saved int64, err error) {
	if !p.HasStore() || p.dir.Joined() { // the fleet's agent looks after its own
		return 0, nil
	}
	return bolt.Compact(ctx, p.dir.Approvals(), p.StoreOptions())
}

// Tidy expires what is too old and removes what ended long ago: see [approval.Store.Prune].
func (p *Approvals) Tidy(ctx context.Context) error {
	if err := p.Ready(); err != nil {
		return err
	}
	return p.Deciding(func() ([]approval.Event, error) { return p.Store.Prune(ctx) })
}

// tidyEvery is how often that is done on a machine in no fleet.
const tidyEvery = 24 * time.Hour

// tidied is a file that says when it was done.
func (p *Approvals) tidied() string { return filepath.Join(p.dir.Runtime(), "tidied") }

// TidyDue reports whether there is a store here that was not tidied for a day. Of a store that
// never was, the first day begins now.
func (p *Approvals) TidyDue() bool {
	if !p.HasStore() || p.dir.Joined() { // the fleet's agent looks after its own
		return false
	}
	info, err := os.Lstat(p.tidied())
	if errors.Is(err, fs.ErrNotExist) {
		_ = p.noteTidied() // otherwise the first day begins later
	}
	return err == nil && p.dir.Now().Sub(info.ModTime()).Abs() >= tidyEvery
}

func (p *Approvals) noteTidied() error {
	now := p.dir.Now()
	return errors.Join(state.Replace(p.tidied(), nil), os.Chtimes(p.tidied(), now, now))
}

// TidyIfDue is Tidy at most once in a day.
func (p *Approvals) TidyIfDue(ctx context.Context) error {
	if !p.TidyDue() {
		return nil
	}
	if err := p.Tidy(ctx); err != nil {
		return err
	}
	return p.noteTidied()
}
