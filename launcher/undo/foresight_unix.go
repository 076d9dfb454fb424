//go:build linux || darwin

package undo

// found is what newer runs found at the paths that they changed.
type found struct {
	at  map[string]State
	ids map[ID]bool
}

func newFound() found { return found{map[string]State{}, map[ID]bool{}} }

// add adds a run, which is older than those before.
func (f found) add(k *book) {
	for _, i := range k.inodes {
		f.ids[i.before.ID] = true
		for _, at := range i.places() {
			if at.in != nil {
				f.at[join(at.in.path(), at.name)] = i.before
			}
		}
	}
	for _, e := range k.entries {
		f.at[e.path()] = e.was()
	}
}

// explains reports whether a path is not as a run left it because newer runs changed it, which are
// taken back before. It is not if they found something else there than the run had left.
func (f found) explains(path string, run *book) bool {
	if was, ok := f.at[path]; ok {
		left, known := run.leftAt(path)
		return !known || left.ID == was.ID && (left.Folder() ||
			sameMarks(left, was) && left.Size == was.Size)
	}
	for _, e := range run.entries { // what the run moved away, and newer runs changed
		if e.before != nil && f.ids[e.was().ID] && e.path() == path {
			return true
		}
	}
	for other := range f.at {
		if within(other, []string{path}) || within(path, []string{other}) {
			return true
		}
	}
	return false
}

// leftAt is what a run left at a path that it changed.
func (k *book) leftAt(path string) (left State, known bool) {
	for _, i := range k.inodes {
		for _, at := range i.places() {
			if i.left != nil && at.in != nil && join(at.in.path(), at.name) == path {
				left, known = *i.left, true
			}
		}
	}
	for _, e := range k.entries {
		if e.closed && e.path() == path {
			left, known = e.left, true
		}
	}
	return left, known
}
