//go:build linux || darwin

package undo

import (
	"slices"

	"golang.org/x/sys/unix"
)

// times are the folders whose times no one has changed since the run.
func (r *restorer) times() (same []timed) {
	for _, f := range r.run.book.folders {
		if !f.touched {
			continue
		}
		fd, err := r.scene.open(f)
		if err != nil {
			same = append(same, timed{f, nil}) // it is made again
			continue
		}
		s, _, err := stat(fd, "")
		if err == nil && (r.run.last != 0 || r.halfwayIn(s.ID) ||
			f.left != nil && f.left.Modified == s.Modified) {
			same = append(same, timed{f, nil})
		}
		r.scene.trim()
	}
	for _, i := range r.run.book.inodes {
		if !i.marked || !i.before.Folder() {
			continue
		}
		fd, err := r.openInode(i)
		if err != nil {
			continue
		}
		s, _, err := stat(fd, "")
		unix.Close(fd)
		if err == nil && (r.run.last != 0 || r.halfwayIn(s.ID) ||
			i.left != nil && i.left.Modified == s.Modified) {
			same = append(same, timed{nil, i})
		}
		r.scene.trim()
	}
	return same
}

// timed is a folder with entries that changed, or one whose metadata changed.
type timed struct {
	f *folder
	i *inode
}

// lacksTimes reports whether an undo did everything but the times before a crash ended it.
func (r *restorer) lacksTimes() bool {
	return len(r.steps) == 0 &&
		slices.ContainsFunc(r.past.runs, func(k *Run) bool { return k.last != 0 })
}

// timeSteps makes steps of the times.
func (r *restorer) timeSteps(same []timed) {
	for _, t := range same {
		r.openTimed(t, func(fd int, before State) {
			s, _, err := stat(fd, "")
			if path := pathOf(fd); err == nil && s.Modified != before.Modified && r.wanted(path) {
				r.step(path, Mark, "")
			}
		})
	}
}

// openTimed calls do with a handle of a folder, and what it was, if it is there.
func (r *restorer) openTimed(t timed, do func(fd int, before State)) {
	defer r.scene.trim()
	if t.f != nil {
		if fd, err := r.scene.open(t.f); err == nil {
			do(fd, t.f.before)
		}
	} else if fd, err := r.openInode(t.i); err == nil {
		do(fd, t.i.before)
		unix.Close(fd)
	}
}

func (r *restorer) openInode(i *inode) (int, error) {
	at := r.placeOf(i)
	if at.in == nil {
		return -1, ErrMoved
	}
	fd, err := r.scene.open(at.in)
	if err != nil {
		return -1, err
	}
	return open(fd, at.name, theEntry, 0)
}

// folderTimes gives the folders their metadata, at last: each entry that is put back changes it.
func (r *restorer) folderTimes(same []timed) {
	made := map[*entry]bool{}
	for _, j := range r.jobs {
		made[j.entry] = !j.refused()
	}
	for _, e := range r.run.book.entries {
		if e.before == nil || !e.was().Folder() || !made[e] && !r.halfway(e) {
			continue
		}
		if fd, err := r.scene.open(e.in); err == nil {
			now, err := look(fd, e.name)
			if err == nil && now.Folder() && now.ID != e.was().ID &&
				!r.scene.isOther(now.ID, e.was().ID) {
				_ = r.marksAt(fd, e.name, e.before)
			}
		}
		r.scene.trim()
	}
	for _, t := range same {
		r.openTimed(t, func(fd int, before State) {
			if r.u.touch(fd) == nil {
				_ = setTimes(fd, before)
			}
		})
	}
}
