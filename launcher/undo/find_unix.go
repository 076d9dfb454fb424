//go:build linux || darwin

package undo

import (
	"cmp"
	"slices"

	"golang.org/x/sys/unix"
)

// find looks for the entries that are not as they were.
func (r *restorer) find() {
	open := func() bool { return r.u != nil && r.openUp() }
	open()
	for again := r.run.last != 0; again; again = open() {
		r.settle()
	}
	chosen := r.chosen()
	for _, e := range r.run.book.entries {
		if !chosen[e] {
			continue
		}
		now, err := r.scene.state(e)
		j := &job{entry: e, path: r.pathOf(e)}
		switch {
		case err == unix.EACCES && r.u == nil:
			if j.do = r.unseen(e); j.do == "" {
				continue
			}
		case err != nil:
			j.do, j.why = Refuse, err.Error()
		case r.isBefore(e, now):
			continue
		case !r.isLeft(e, now):
			j.do, j.why = Refuse, errLater.Error()
		case e.before == nil:
			j.do = Remove
		case now.Absent():
			j.do = Restore
		default:
			j.do = Replace
		}
		r.jobs = append(r.jobs, j)
		r.scene.trim()
	}
	r.renames()
	// what is in a folder goes before the folder
	slices.SortStableFunc(r.jobs, func(a, b *job) int { return cmp.Compare(b.path, a.path) })
}

// unseen is what a plan assumes of an entry in a folder that its owner has closed, which an undo
// opens: that the run left it so.
func (r *restorer) unseen(e *entry) Do {
	switch {
	case e.before == nil && e.left.Absent(), e.before != nil && e.was().ID == e.left.ID:
		return ""
	case e.before == nil:
		return Remove
	case e.left.Absent():
		return Restore
	}
	return Replace
}

// renames refuses to put a file back under its old name where someone changed it under the new one.
func (r *restorer) renames() {
	refused := map[ID]bool{}
	for _, j := range r.jobs {
		if j.refused() && !j.left.Absent() {
			refused[j.left.ID] = true
		}
	}
	for _, j := range r.jobs {
		if j.before != nil && refused[j.was().ID] && !j.refused() {
			j.refuse(errLater.Error())
		}
	}
}
