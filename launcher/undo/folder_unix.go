//go:build linux || darwin

package undo

import (
	"strings"

	"golang.org/x/sys/unix"
)

// handles is how many folders stay open besides the trees.
const handles = 128

// folder returns the folder that a handle is of, and notes it if it is new. It is nil if the folder
// is in none of the trees.
func (j *Journal) folder(dir int, path string) (*folder, error) {
	state, _, err := stat(dir, "")
	if err != nil {
		return nil, &NotKeptError{path, err}
	}
	if f := j.index.folders[state.ID]; f != nil && f.n != 0 {
		return f, nil
	}
	for range 3 {
		f, err := j.walk(path)
		if err != nil || f != nil && f.before.ID == state.ID {
			return f, err
		}
		// The folder was moved between the look of the caller and this one.
		if path, err = nameOf(dir); err != nil {
			break
		}
	}
	if j.tree(path) == nil {
		return nil, j.elsewhere(path)
	}
	return nil, &NotKeptError{path, ErrMoved}
}

// elsewhere is what becomes of a change outside of the trees.
func (j *Journal) elsewhere(path string) error {
	if j.budget.stands {
		return &NotKeptError{path, ErrElsewhere}
	}
	return nil
}

// tree is the innermost tree of a path.
func (j *Journal) tree(path string) (tree *folder) {
	for _, t := range j.index.trees {
		if within(path, []string{t.name}) && (tree == nil || len(t.name) > len(tree.name)) {
			tree = t
		}
	}
	return tree
}

// walk goes from a tree to the folder at a path and notes the folders on the way. It returns nil if
// there is none.
func (j *Journal) walk(path string) (*folder, error) {
	at := j.tree(path)
	if at == nil {
		return nil, nil
	}
	j.note(at)
	rest := strings.Trim(strings.TrimPrefix(path, at.name), "/")
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		fd, err := j.handle(at)
		if err != nil {
			return nil, nil
		}
		fd, err = openFolder(fd, name)
		if err != nil {
			return nil, nil
		}
		state, spot, err := stat(fd, "")
		if err != nil {
			unix.Close(fd)
			return nil, &NotKeptError{path, err}
		}
		f := j.index.folders[state.ID]
		if f == nil {
			f = &folder{at: at, name: name, before: state, mount: spot.mount}
			j.index.folders[state.ID] = f
		} else if f.at != at || f.name != name {
			f.also = append(f.also, location{at, name})
		}
		j.note(f)
		if f.fd == 0 {
			j.keepOpen(f, fd)
		} else {
			unix.Close(fd)
		}
		at = f
	}
	return at, nil
}

// note gives a folder its number and its record.
func (j *Journal) note(f *folder) {
	if f.n == 0 {
		if i := j.index.inodes[f.before.ID]; i != nil { // its times were changed since
			f.before.Accessed, f.before.Modified = i.before.Accessed, i.before.Modified
		}
		j.book.folders = append(j.book.folders, f)
		f.n = len(j.book.folders)
		j.add(f.append)
	}
}

// keepOpen keeps the handle of a folder, in the place of the oldest one.
func (j *Journal) keepOpen(f *folder, fd int) {
	if len(j.open) == handles {
		unix.Close(j.open[0].fd)
		j.open[0].fd = 0
		j.open = append(j.open[:0], j.open[1:]...)
	}
	f.fd = fd
	j.open = append(j.open, f)
}

// handle returns a handle of a folder in this process' own mounts.
func (j *Journal) handle(f *folder) (int, error) {
	if f.fd != 0 {
		return f.fd, nil
	}
	for n := len(f.also) - 1; n >= 0; n-- {
		if fd, err := j.handleAt(f, f.also[n]); err == nil {
			return fd, nil
		}
	}
	return j.handleAt(f, location{f.at, f.name})
}

func (j *Journal) handleAt(f *folder, at location) (int, error) {
	if at.in == nil || at.in == f {
		return -1, ErrMoved
	}
	in, err := j.handle(at.in)
	if err != nil {
		return -1, err
	}
	fd, err := openFolder(in, at.name)
	if err != nil {
		return -1, err
	}
	if s, _, err := stat(fd, ""); err != nil || s.ID != f.before.ID {
		unix.Close(fd)
		return -1, ErrMoved
	}
	j.keepOpen(f, fd)
	return fd, nil
}
