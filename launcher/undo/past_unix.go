//go:build linux || darwin

package undo

// past are the undos of a run, and the undos of those.
type past struct {
	runs []*Run
	now  renewals // by all undos
	seen map[begun]bool
}

// begun is an entry by the identity of its folder, or for no name the folder.
type begun struct {
	in   ID
	name string
}

// begun are the entries, and the folders, with which the undos had begun; true for those of an undo
// that a crash ended.
func (p *past) begun() map[begun]bool {
	if p.seen != nil {
		return p.seen
	}
	p.seen = map[begun]bool{}
	for _, k := range p.runs {
		crash := k.last != 0
		for _, o := range k.book.entries {
			at := begun{o.in.before.ID, o.name}
			p.seen[at] = crash || p.seen[at]
		}
		for _, f := range k.book.folders {
			at := begun{f.before.ID, ""}
			p.seen[at] = crash || p.seen[at]
		}
	}
	return p.seen
}
