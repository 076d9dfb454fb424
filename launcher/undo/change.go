package undo

import (
	"cmp"
	"slices"
)

// A Change is what a run did to one path.
type Change struct {
	Path   string
	From   string // where it was before, if it was renamed
	Before State
	After  State

	inode *inode // before
}

// changes compares what a run found with what it left, sorted by path.
func (k *book) changes() (list []Change) {
	from, to := map[ID]*entry{}, map[ID]*entry{}
	for _, e := range k.entries {
		if b := e.was(); b.ID != e.left.ID || b.Absent() != e.left.Absent() {
			if !b.Absent() {
				from[b.ID] = e
			}
			if !e.left.Absent() {
				to[e.left.ID] = e
			}
		}
	}
	for _, e := range k.entries {
		before := e.was()
		if before.ID == e.left.ID && before.Absent() == e.left.Absent() {
			continue // what changed in the inode follows
		}
		c := Change{Path: e.path(), Before: before, After: e.left, inode: e.before}
		if src := from[e.left.ID]; src != nil && !e.left.Absent() {
			c.From, c.Before, c.inode = src.path(), src.was(), src.before
		} else if to[before.ID] != nil && !before.Absent() && e.left.Absent() {
			continue // it is in the list under its new name
		}
		list = append(list, c)
	}
	for _, i := range k.inodes {
		if c, ok := k.inPlace(i); ok && to[i.before.ID] == nil && from[i.before.ID] == nil {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

// was is what was at an entry before the run.
func (e *entry) was() State {
	if e.before == nil {
		return State{}
	}
	return e.before.before
}

// inPlace is the change of an inode that has its name still.
func (k *book) inPlace(i *inode) (Change, bool) {
	if i.left == nil || i.at == nil || i.before.Folder() && i.before.Mode == i.left.Mode &&
		i.before.UID == i.left.UID && i.before.GID == i.left.GID &&
		slices.Equal(i.attributes, i.leftMarks) {
		return Change{}, false
	}
	if sameMarks(i.before, *i.left) && i.before.Size == i.left.Size &&
		slices.Equal(i.attributes, i.leftMarks) {
		return Change{}, false
	}
	return Change{Path: join(i.at.path(), i.name), Before: i.before, After: *i.left, inode: i}, true
}

// sameMarks compares the metadata that an undo restores.
func sameMarks(a, b State) bool {
	return a.Mode == b.Mode && a.UID == b.UID && a.GID == b.GID && a.Modified == b.Modified
}

// summary counts what a run changed.
func summary(k *book) Summary {
	s := Summary{Lacks: k.lacks}
	for _, c := range k.changes() {
		switch {
		case c.Before.Absent():
			s.Added++
		case c.After.Absent():
			s.Removed++
		default:
			s.Changed++
		}
	}
	s.Grade()
	return s
}

// Grade sets Reversible, from all else that the summary has.
func (s *Summary) Grade() {
	s.Reversible = "true"
	if len(s.Lacks) > 0 {
		s.Reversible = "partly"
		if s.Added+s.Changed+s.Removed == 0 {
			s.Reversible = "false"
		}
	}
}
