//go:build linux || darwin

package undo

import (
	"cmp"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// GC deletes the runs that are older than Options.Keep. If the others take more than three quarters
// of the quota it deletes more, the oldest first, but none that has the last content of a file
// that is not there any more, and none that stands for a question (Start.Stands). It counts anew
// what all hold.
//
// For room it deletes nothing that is younger than spare: a command that fills the quota does not
// push out what others have left today.
//
// A clock that is wrong by years deletes nothing for its age, and no newer run before an older one:
// see leap and ahead.
func (s *Store) GC(now time.Time, spare time.Duration) (Freed, error) {
	l, err := openLedger(s.dir)
	if err != nil {
		return Freed{}, err
	}
	defer l.close()
	runs, err := s.stored(now)
	if err != nil {
		return Freed{}, err
	}
	var freed Freed
	total := int64(0)
	for _, r := range runs {
		total += r.held
	}
	drop := func(r *storedRun) error {
		if err := s.drop(r); err != nil {
			return err
		}
		total -= r.held
		r.gone = true
		freed.Runs = append(freed.Runs, r.name)
		return nil
	}
	var failed []error
	from, to := aged(runs, now, s.o.Keep)
	for _, r := range runs {
		if !r.live && from <= r.start && r.start < to {
			failed = append(failed, drop(r))
		}
	}
	for n, r := range runs {
		if total > s.o.Quota/4*3 && !r.live && !r.gone && !r.stands && r.held > 0 &&
			(r.start <= now.Add(-spare).UnixNano() || r.isAhead(now)) && !s.last(r, runs[n+1:]) {
			failed = append(failed, drop(r))
		}
	}
	freed.Kept = total
	return freed, errors.Join(append(failed, l.count(runs))...)
}

// leap is how long no run begins if the clock may have been set forward in between: then no one
// knows how old the runs before it are.
const leap = 365 * 24 * time.Hour

// aged returns between which starts runs are too old to be kept.
func aged(runs []*storedRun, now time.Time, keep time.Duration) (from, to int64) {
	later := now.UnixNano()
	for _, r := range slices.Backward(runs) {
		if later-r.start > int64(leap) {
			return later, now.Add(-keep).UnixNano()
		}
		later = min(later, r.start)
	}
	return math.MinInt64, now.Add(-keep).UnixNano()
}

// isAhead reports whether a run began in the future: the clock was set back since, and the runs
// from before now are the newer ones.
func (r *storedRun) isAhead(now time.Time) bool {
	return r.start > now.Add(24*time.Hour).UnixNano()
}

// Count counts anew what all runs hold: what one has taken that a crash ended, and not used, is
// free again.
func (s *Store) Count(now time.Time) error {
	l, err := openLedger(s.dir)
	if err != nil {
		return err
	}
	defer l.close()
	runs, err := s.stored(now)
	if err != nil {
		return err
	}
	return l.count(runs)
}

// count writes the ledger anew. A run that goes on keeps what it has taken: it uses that without
// another look at the ledger.
func (l *ledger) count(runs []*storedRun) error {
	taken := map[string]int64{}
	for line, err := range l.lines() {
		if err != nil {
			return err
		}
		taken[line.run] += line.n
	}
	var text strings.Builder
	for _, r := range runs {
		n := r.held
		if r.live {
			n = max(n, taken[r.name])
		}
		if !r.gone {
			text.WriteString(ledgerLine(r.name, n, r.stands))
		}
	}
	return l.replace(text.String())
}

// A storedRun is a folder of the store.
type storedRun struct {
	name       string
	start      int64
	live, gone bool
	stands     bool
	run        *Run // nil if its journal cannot be read
	places     []string
	held       int64
}

// stored returns the runs, the oldest first.
func (s *Store) stored(now time.Time) ([]*storedRun, error) {
	list, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var runs []*storedRun
	for _, d := range list {
		info, err := d.Info()
		if err != nil || !d.IsDir() {
			continue
		}
		r := &storedRun{name: d.Name(), start: info.ModTime().UnixNano(), places: []string{s.dir}}
		_, unmarked := os.Lstat(filepath.Join(s.dir, r.name, standsName))
		r.stands = unmarked == nil
		run, err := s.Read(r.name)
		switch {
		case err == nil:
			r.run, r.start, r.places = run, run.book.head.start, run.book.head.places
		case errors.Is(err, ErrRunning):
			r.live = true
		case errors.Is(err, ErrUnknownRun): // it begins, or its deletion was cut short
			r.live = now.Sub(info.ModTime()) < time.Minute
		}
		for _, p := range r.places {
			r.held += heldIn(filepath.Join(p, r.name))
		}
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b *storedRun) int {
		if ahead := a.isAhead(now); ahead != b.isAhead(now) {
			return map[bool]int{true: -1, false: 1}[ahead]
		}
		return cmp.Compare(a.start, b.start)
	})
	return runs, nil
}

// heldIn is how much would be free without a folder of pre-images.
func heldIn(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		s, at, err := stat(unix.AT_FDCWD, path)
		journal := d.Name() == journalName || d.Name() == closedName
		if err == nil && s.Links == 1 && (!journal || at.disk > 2*short) { // else it has no content
			n += at.disk
		}
		return nil
	})
	return n
}

// drop deletes a run: first its journal, so that nothing counts on the rest.
func (s *Store) drop(r *storedRun) error {
	lock, err := s.lock(r.name)
	if err == nil {
		defer unlock(lock)
	} else if err != ErrUnknownRun {
		return err
	}
	for _, name := range []string{closedName, journalName} {
		err := os.Remove(filepath.Join(s.dir, r.name, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	var failed []error
	for _, p := range r.places {
		if p == s.dir || filepath.Base(p) == besideFolder() {
			failed = append(failed, removeAll(filepath.Join(p, r.name)))
		}
		if filepath.Base(p) == besideFolder() {
			tidy(p)
		}
	}
	return errors.Join(failed...)
}

// last reports whether a run has the last content of a file that is nowhere else.
func (s *Store) last(r *storedRun, later []*storedRun) bool {
	if r.run == nil {
		return false
	}
	o := newObjects([]*Run{r.run})
	defer o.close()
	for _, e := range r.run.book.entries {
		if e.before == nil || !e.was().Regular() {
			continue
		}
		src, ok := o.find(e.was().ID)
		if !ok {
			continue
		}
		if now, err := look(src.dir, src.name); err != nil || now.Links > 1 {
			continue
		}
		path := e.path()
		now, err := look(unix.AT_FDCWD, path)
		if (err == nil && now.Absent() || err == unix.ENOTDIR) && !hasPath(later, path) {
			return true
		}
	}
	return false
}

// hasPath reports whether one of the runs has a pre-image of a path.
func hasPath(runs []*storedRun, path string) bool {
	has := func(e *entry) bool {
		return e.before != nil && e.before.held.kind != 0 && e.path() == path
	}
	return slices.ContainsFunc(runs, func(r *storedRun) bool {
		return r.run != nil && !r.gone && slices.ContainsFunc(r.run.book.entries, has)
	})
}
