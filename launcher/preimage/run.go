package preimage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/undo"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// A Run is what a run changes, as it was before (package undo). The broker announces each change
// to it. When the command has ended it takes no more.
type Run struct {
	mu      sync.RWMutex
	journal *undo.Journal // nil before the beginning and after the end
	trees   []string
	single  bool        // of a folder, the run may write one file only
	stands  bool        // no one was asked because all of it is kept
	refused atomic.Bool // something, because it could not be kept
	missed  []undo.Lack
	more    int // of what was missed
	closed  bool
	collect func(time.Duration) (int, error) // makes room in the store
	changes past.RunChanges
	parts   parts
}

// Keep has what the run changes kept, in the folders where it may write. What is rebuilt anyway, as
// caches of tools, is left out (except).
//
// If it stands for a question (stands), a change of which nothing could be kept is refused, and
// without the broker nothing runs.
func (h *History) Keep(p *sandbox.Profile, id, ground string, except []string,
	stands bool) (*Run, error) {
	except = slices.DeleteFunc(except, func(name string) bool { return name == "" })
	if h.settings().Quota == 0 {
		if stands {
			return nil, cannotStand(errors.New("undo.quota is 0"))
		}
		return nil, nil
	}
	r := &Run{collect: h.CollectKept, stands: stands}
	whole := slices.ContainsFunc(p.Write, func(w sandbox.Path) bool { return w.Name == ground })
	for _, w := range p.Write {
		inside := whole && w.Name != ground && pathname.Within(w.Name, ground)
		if !inside && !slices.Contains(except, w.Name) {
			r.cover(w.Name, ground)
		}
	}
	p.Changes = &broker.Capture{Changes: r, Except: except, Strict: stands}
	if stands {
		p.Must = append(p.Must, sandbox.Undo)
	}
	store, err := h.UndoStore()
	if err == nil {
		r.parts = newParts(store, id)
		r.journal, err = store.Begin(undo.Start{Run: id, Trees: r.trees, Stands: stands})
	}
	if err != nil {
		if stands {
			return nil, cannotStand(err)
		}
		r.Miss("", err.Error())
		return r, nil
	}
	for _, folder := range r.journal.Folders() {
		if !pathname.Within(folder, h.dir.Dir) {
			p.Hide = append(p.Hide, folder)
		}
	}
	return r, nil
}

// cannotStand says why a command does not run that was allowed because it could be undone.
func cannotStand(err error) error {
	return fmt.Errorf("nothing can be kept: %w", err)
}

// cover adds a tree in which the run may write. The journal has the folder of a single file, and
// the workspace instead of what is in it, although the run may change nothing else there.
func (r *Run) cover(name, ground string) {
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return
	case ground != name && pathname.Within(name, ground):
		name, r.single = ground, true
	case !info.IsDir():
		name, r.single = filepath.Dir(name), true
	}
	if !slices.Contains(r.trees, name) {
		r.trees = append(r.trees, name)
	}
}

// Close ends the journal, and says what the run changed. Where the run could write in whole
// folders, these are searched for changes that were not announced.
func (r *Run) Close(receipt sandbox.Receipt) past.RunChanges {
	if r == nil {
		return past.RunChanges{}
	}
	for _, lost := range receipt.Lost {
		if lost.Protection == sandbox.Undo {
			r.Miss("", lost.Why)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return r.changes
	}
	s := undo.Summary{Reversible: "false"}
	if r.journal != nil {
		s = r.end(true)
	}
	if slices.ContainsFunc(s.Lacks,
		func(l undo.Lack) bool { return l.Why == undo.ErrQuota.Error() }) {
		_, _ = r.collect(spared) // later runs have room
	}
	r.closed, r.journal, r.changes = true, nil, past.ChangesOf(s, r.missed, r.more)
	return r.changes
}

// end ends the present journal. With walk, the trees are searched where the run could write in
// whole folders.
func (r *Run) end(walk bool) undo.Summary {
	end := undo.End{}
	if walk && !r.single {
		end.Walk = maxWalk
	}
	s, err := r.journal.Close(end)
	if err != nil {
		r.missed = append(r.missed, undo.Lack{Why: err.Error()})
	}
	return r.parts.add(r.journal, s)
}

// spared is the age up to which what is kept of a run makes no room for that of others.
const spared = 24 * time.Hour

// maxWalk is how many entries are looked at after a run for changes that were not announced.
const maxWalk = 20_000

// RefusedSome reports whether something stayed because it could not be kept.
func (r *Run) RefusedSome() bool { return r != nil && r.refused.Load() }

// Discard ends the journal of a run that did not start.
func (r *Run) Discard() { _ = r.Close(sandbox.Receipt{}) }

// Miss notes a change of which nothing is kept.
func (r *Run) Miss(name, why string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	lack := undo.Lack{Path: name, Why: why}
	if one := r.parts.now(); one != nil {
		one.miss(lack)
	}
	if len(r.missed) == maxMissed {
		r.more++
		return
	}
	if !slices.Contains(r.missed, lack) {
		r.missed = append(r.missed, lack)
	}
}
