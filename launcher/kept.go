package launcher

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
)

// A kept is what a run changes, as it was before (package undo). The broker announces each change
// to it. When the command has ended it takes no more.
type kept struct {
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

// keep has what the run changes kept, in the folders where it may write. What is rebuilt anyway, as
// caches of tools, is left out (except).
//
// If it stands for a question (stands), a change of which nothing could be kept is refused, and
// without the broker nothing runs.
func (l *Launcher) keep(p *sandbox.Profile, id, ground string, except []string,
	stands bool) (*kept, error) {
	except = slices.DeleteFunc(except, func(name string) bool { return name == "" })
	if l.undoSettings().Quota == 0 {
		if stands {
			return nil, cannotStand(errors.New("undo.quota is 0"))
		}
		return nil, nil
	}
	k := &kept{collect: l.collectKept, stands: stands}
	for _, w := range p.Write {
		if !slices.Contains(except, w.Name) {
			k.cover(w.Name, ground)
		}
	}
	p.Changes = &broker.Capture{Changes: k, Except: except, Strict: stands}
	if stands {
		p.Must = append(p.Must, sandbox.Undo)
	}
	store, err := l.undoStore()
	if err == nil {
		k.parts = newParts(store, id)
		k.journal, err = store.Begin(undo.Start{Run: id, Trees: k.trees, Stands: stands})
	}
	if err != nil {
		if stands {
			return nil, cannotStand(err)
		}
		k.Miss("", err.Error())
		return k, nil
	}
	for _, folder := range k.journal.Folders() {
		if !isWithin(folder, l.state.Dir) {
			p.Hide = append(p.Hide, folder)
		}
	}
	return k, nil
}

// cannotStand says why a command does not run that was allowed because it could be undone.
func cannotStand(err error) error {
	return fmt.Errorf("nothing can be kept: %w", err)
}

// cover adds a tree in which the run may write. The journal has the folder of a single file, and
// the workspace instead of what is in it, although the run may change nothing else there.
func (k *kept) cover(name, ground string) {
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return
	case ground != name && isWithin(name, ground):
		name, k.single = ground, true
	case !info.IsDir():
		name, k.single = filepath.Dir(name), true
	}
	if !slices.Contains(k.trees, name) {
		k.trees = append(k.trees, name)
	}
}

// outside are the folders of a session's own program: its conversations and settings stay as they
// are when the work in the workspace is taken back.
func outside(list []sandbox.Path, ground string) (names []string) {
	for _, p := range list {
		if !isWithin(p.Name, ground) && !isWithin(ground, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

func names(list []sandbox.Path) (names []string) {
	for _, p := range list {
		names = append(names, p.Name)
	}
	return names
}

// close ends the journal, and says what the run changed. Where the run could write in whole
// folders, these are searched for changes that were not announced.
func (k *kept) close(r sandbox.Receipt) past.RunChanges {
	if k == nil {
		return past.RunChanges{}
	}
	for _, lost := range r.Lost {
		if lost.Protection == sandbox.Undo {
			k.Miss("", lost.Why)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return k.changes
	}
	s := undo.Summary{Reversible: "false"}
	if k.journal != nil {
		s = k.end(true)
	}
	if slices.ContainsFunc(s.Lacks,
		func(l undo.Lack) bool { return l.Why == undo.ErrQuota.Error() }) {
		_, _ = k.collect(spared) // later runs have room
	}
	k.closed, k.journal, k.changes = true, nil, past.ChangesOf(s, k.missed, k.more)
	return k.changes
}

// end ends the present journal. With walk, the trees are searched where the run could write in
// whole folders.
func (k *kept) end(walk bool) undo.Summary {
	end := undo.End{}
	if walk && !k.single {
		end.Walk = maxWalk
	}
	s, err := k.journal.Close(end)
	if err != nil {
		k.missed = append(k.missed, undo.Lack{Why: err.Error()})
	}
	return k.parts.add(k.journal, s)
}

// spared is the age up to which what is kept of a run makes no room for that of others.
const spared = 24 * time.Hour

// maxWalk is how many entries are looked at after a run for changes that were not announced.
const maxWalk = 20_000

// refusedSome reports whether something stayed because it could not be kept.
func (k *kept) refusedSome() bool { return k != nil && k.refused.Load() }

// discard ends the journal of a run that did not start.
func (k *kept) discard() { _ = k.close(sandbox.Receipt{}) }

// Miss notes a change of which nothing is kept.
func (k *kept) Miss(name, why string) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	lack := undo.Lack{Path: name, Why: why}
	if one := k.parts.now(); one != nil {
		one.miss(lack)
	}
	if len(k.missed) == maxMissed {
		k.more++
		return
	}
	if !slices.Contains(k.missed, lack) {
		k.missed = append(k.missed, lack)
	}
}
