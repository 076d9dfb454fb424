//go:build amd64 || arm64

package sandbox

import "slices"

// A treeWatch remembers the processes of the tree: one that has left its parents and its session is
// found again by that.
type treeWatch struct {
	known   map[int]uint64
	sibling func(sample) bool // of the command; nil for none

	filesAt, patience int // when descriptors are looked at next, in looks
}

// members returns those of all that are in the tree of child and guard, without the guard and its
// companions: these have the launcher's memory, and run nothing. An orphan is a child of one of
// them, the namespace's init, and so belongs.
func (t *treeWatch) members(child, guard int, all []sample) []sample {
	parents := make(map[int]sample, len(all))
	for _, s := range all {
		parents[s.pid] = s
	}
	belongs := func(s sample) bool {
		for range len(all) {
			if s.pid == child || s.session == child || s.parent == guard ||
				t.known[s.pid] == s.born && s.born != 0 || t.sibling != nil && t.sibling(s) {
				return true
			}
			next, ok := parents[s.parent]
			if !ok {
				return false
			}
			s = next
		}
		return false
	}
	known := make(map[int]uint64)
	var list []sample
	for _, s := range all {
		if s.pid != guard && (s.parent != guard || s.pid == child) && belongs(s) {
			known[s.pid] = s.born
			list = append(list, s)
		}
	}
	t.known = known
	return list
}

// member reports whether a process is of the run.
func (p *Process) member(pid int) bool {
	var t treeWatch
	return slices.ContainsFunc(t.members(p.pid, p.guard, samples()), func(m sample) bool {
		return m.pid == pid
	})
}
