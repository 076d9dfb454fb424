//go:build linux || darwin

package undo

import (
	"os"

	"golang.org/x/sys/unix"
)

// openUp opens the folders of the run to this process, so that what is in them can be seen and put
// back. It reports whether there was one.
func (r *restorer) openUp() (opened bool) {
	if os.Geteuid() == 0 {
		return false
	}
	crashed := r.leftAjar()
	for again := true; again; { // a folder may be in one that was noted later
		again = false
		for _, f := range r.run.book.folders {
			fd, err := r.scene.open(f)
			if err != nil {
				continue
			}
			bits := uint32(0o100)
			if f.touched {
				bits = 0o700
			}
			again = r.openFolder(fd, bits, crashed) || again
			r.scene.trim()
		}
		opened = opened || again
	}
	return opened
}

func (r *restorer) openFolder(fd int, bits uint32, crashed map[ID]uint32) bool {
	s, _, err := stat(fd, "")
	if err != nil {
		return false
	}
	if mode, ok := crashed[s.ID]; ok && (s.Mode == mode|0o700 || s.Mode == mode|0o100) {
		delete(crashed, s.ID)
		s.Mode = mode
		r.ajar.keep(fd, s)
	}
	if s.Mode&bits == bits || r.u.Mark(fd, pathOf(fd)) != nil {
		return false
	}
	return r.ajar.open(fd, bits)
}

// leftAjar are the modes of the folders that an undo had opened when a crash ended it.
func (r *restorer) leftAjar() map[ID]uint32 {
	modes := map[ID]uint32{}
	for _, k := range r.past.runs {
		for _, i := range k.book.inodes {
			if k.last != 0 && i.marked && i.before.Folder() {
				modes[i.before.ID] = i.before.Mode
			}
		}
	}
	return modes
}

// marks gives an inode what it had; a folder stays open until all is in its place.
func (r *restorer) marks(h int, i *inode) error {
	err := restoreMarks(h, i.before, i.attributes)
	if s, _, e := stat(h, ""); e == nil && s.Folder() {
		r.ajar.forget(s.ID)
		r.ajar.open(h, 0o700)
	}
	return err
}

func (r *restorer) marksAt(dir int, name string, i *inode) error {
	fd, err := open(dir, name, theEntry, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return r.marks(fd, i)
}
