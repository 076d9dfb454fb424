package pathguard

import (
	"slices"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
)

// Named returns a copy of a plan that can be judged without inodes, which the file system uses
// again for other files: what the policy knows by its inode has the name of the rule too.
func (p Policy) Named(plan *Plan) *Plan {
	if p.tree == nil {
		return plan
	}
	q := *plan
	q.Targets, q.Programs = slices.Clone(plan.Targets), slices.Clone(plan.Programs)
	for i := range q.Targets {
		t := &q.Targets[i]
		for _, id := range t.Crossed {
			t.Others = p.tree.named(t.Others, t.Path(), id)
		}
		if t.Exists {
			t.Others = p.tree.named(t.Others, t.Path(), t.ID)
		}
	}
	for i := range q.Programs {
		g := &q.Programs[i]
		g.Links = p.tree.named(g.Links, g.Real, g.ID)
	}
	q.Inner = slices.Clone(plan.Inner)
	for i := range q.Inner {
		q.Inner[i].Plan = p.Named(q.Inner[i].Plan)
	}
	return &q
}

// named adds the names that rules have for an inode, unless they are those of a path or above it.
func (t *tree) named(names []string, path string, id walk.ID) []string {
	names = slices.Clip(names)
	t.byID(id, func(m mark) {
		if m.tightens() && !pathname.Within(path, m.real) && !slices.Contains(names, m.real) {
			names = append(names, m.real)
		}
	})
	return names
}
