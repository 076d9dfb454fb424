//go:build linux || darwin

package undo

import (
	"errors"
	"io"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// contents restores what the run changed in inodes.
func (r *restorer) contents() {
	for _, i := range r.run.book.inodes {
		if (i.marked || i.copied.kind != 0) && r.wantedInode(i) {
			r.content(i)
			r.scene.trim()
		}
	}
}

// wantedInode reports whether one of the names of an inode is chosen.
func (r *restorer) wantedInode(i *inode) bool {
	for _, at := range i.places() {
		if at.in == nil || r.wanted(join(at.in.path(), at.name)) {
			return true
		}
	}
	return slices.ContainsFunc(r.byID()[i.before.ID], func(e *entry) bool {
		return r.wanted(e.path())
	})
}

func (r *restorer) content(i *inode) {
	if at := r.placeOf(i); at.in != nil {
		if fd, err := r.scene.open(at.in); err == nil {
			r.inode(i, fd, at.name, join(pathOf(fd), at.name))
		}
		return
	}
	path := ""
	if i.at != nil {
		path = join(i.at.path(), i.name)
	}
	if r.denied(i) {
		r.unseenContent(i, path)
		return
	}
	if r.u != nil {
		r.storedContent(i, path)
	}
	if path != "" && r.lost(i) {
		r.step(path, Refuse, "it is not where the run left it")
	}
}

// denied reports whether an inode may be in a folder that cannot be seen.
func (r *restorer) denied(i *inode) bool {
	return slices.ContainsFunc(i.places(), func(at location) bool {
		if at.in == nil {
			return false
		}
		fd, err := r.scene.open(at.in)
		if err == nil {
			_, err = look(fd, at.name)
		}
		return err == unix.EACCES
	})
}

// unseenContent is as unseen.
func (r *restorer) unseenContent(i *inode, path string) {
	switch {
	case r.u != nil:
		r.step(path, Refuse, unix.EACCES.Error())
	case i.copied.kind != 0:
		r.step(path, Rewrite, "")
	default:
		r.step(path, Mark, "")
	}
}

// storedContent restores an inode that has none of the names that are known. It may have others;
// else it is the pre-image of an older run, and has to be what that run removed.
func (r *restorer) storedContent(i *inode, path string) {
	id := i.before.ID
	src, ok := r.source(id)
	s, err := look(src.dir, src.name)
	if !ok || err != nil {
		return
	}
	if path != "" && s.Links > r.stored(id) {
		r.inode(i, src.dir, src.name, path)
		return
	}
	h, err := open(src.dir, src.name, theEntry, 0)
	if err != nil {
		return
	}
	defer unix.Close(h)
	do, err := r.compare(i, src, h)
	if err != nil || do == "" || r.u.stored(h, do == Rewrite) != nil {
		return
	}
	if do == Rewrite {
		_ = r.write(i, h)
	} else {
		_ = restoreMarks(h, i.before, i.attributes)
	}
}

// stored is how many names an inode has in the store.
func (r *restorer) stored(id ID) uint32 {
	n := r.objects.names(id, append([]*Run{r.run}, r.past.runs...))
	if i := r.u.index.inodes[id]; i != nil && i.held.kind != 0 {
		n++
	}
	return n
}

// lost reports whether an inode that the run left in the tree is nowhere in it.
func (r *restorer) lost(i *inode) bool {
	return i.left != nil && i.held.kind == 0 && len(r.byID()[i.before.ID]) == 0
}

func (r *restorer) inode(i *inode, fd int, name, path string) {
	h, err := open(fd, name, theEntry, 0)
	if err != nil {
		r.step(path, Refuse, err.Error())
		return
	}
	defer unix.Close(h)
	at := source{fd, name}
	do, err := r.compare(i, at, h)
	if err == nil && do != "" && r.u != nil {
		if do == Rewrite {
			err = r.rewrite(i, h, path)
		} else if err = r.u.Mark(h, path); err == nil {
			err = r.marks(h, i)
		}
	}
	if do != "" && r.u != nil {
		r.aliases(i.before.ID)
	}
	switch {
	case err == errLater && r.take.KeepBoth && i.copied.kind != 0:
		r.beside(i, fd, name, path)
	case err != nil:
		r.step(path, Refuse, err.Error())
	case do != "":
		r.step(path, do, "")
	}
}

// compare says what must be done to an inode, or errLater if someone changed it after the run.
func (r *restorer) compare(i *inode, at source, h int) (Do, error) {
	now, _, err := stat(h, "")
	if err != nil {
		return "", err
	}
	list, err := attributes(h)
	if err != nil {
		return "", err
	}
	now = r.ajar.really(now)
	same := now.Mode == i.before.Mode && now.UID == i.before.UID && now.GID == i.before.GID &&
		slices.Equal(list, i.attributes)
	timed := now.Folder() || now.Modified == i.before.Modified
	if i.copied.kind == 0 || timed && now.Size == i.before.Size && r.equal(i, h) {
		switch {
		case same && timed:
			return "", nil
		case !r.leftAs(i, at, now, list):
			return "", errLater
		}
		return Mark, nil
	}
	if !r.leftAs(i, at, now, list) {
		return "", errLater
	}
	return Rewrite, nil
}

// leftAs reports whether an inode is as the run left it, or as an undo that a crash ended did.
func (r *restorer) leftAs(i *inode, at source, now State, list []attribute) bool {
	switch {
	case r.run.last != 0 && r.inTime(now):
		return true
	case r.run.last != 0:
		return r.torn(i, at)
	case i.left == nil:
		return true // it had no name when the run ended; this undo has put it back
	case now.Folder():
		if now.Mode == i.left.Mode && now.UID == i.left.UID && now.GID == i.left.GID &&
			slices.Equal(list, i.leftMarks) {
			return true
		}
	case sameLeft(at, now, *i.left) && slices.Equal(list, i.leftMarks):
		return true
	}
	return r.torn(i, at)
}

// torn reports whether an inode is what an undo left that a crash ended: it writes from the start
// to the end, so the content is a part of what was before and the rest of what the run left.
func (r *restorer) torn(i *inode, at source) bool {
	for _, k := range r.past.runs {
		if k.last == 0 {
			continue
		}
		for _, o := range k.book.inodes {
			if o.before.ID != i.before.ID || !o.marked {
				continue
			}
			if i.copied.kind == 0 || o.copied.kind == 0 || r.mixed(i, k, o, at) {
				return true
			}
		}
	}
	return false
}

// mixed reports whether a file begins with its content before the run and goes on with what the
// run left, which the undo k kept of the inode o.
func (r *restorer) mixed(i *inode, k *Run, o *inode, at source) bool {
	now, err := openRegular(at.dir, at.name)
	if err != nil {
		return false
	}
	defer now.Close()
	before, err := r.objects.openCopy(r.run, i)
	if err != nil {
		return false
	}
	defer before.Close()
	left, err := r.objects.openCopy(k, o)
	if err != nil {
		return false
	}
	defer left.Close()
	n, size, err := common(now, before)
	if err != nil {
		return false
	}
	if n == size {
		return true // all that is there was there before the run
	}
	if _, err := now.Seek(n, io.SeekStart); err != nil {
		return false
	}
	if _, err := left.Seek(n, io.SeekStart); err != nil {
		return false
	}
	rest, _, err := common(now, left)
	return err == nil && n+rest == size
}

// equal reports whether an inode has the content of its copy.
func (r *restorer) equal(i *inode, h int) bool {
	var now *os.File
	read := func() (err error) {
		now, err = reopen(h, unix.O_RDONLY)
		return err
	}
	err := read()
	if err != nil && r.u != nil {
		err = withRights(h, 0o400, read)
	}
	if err != nil {
		return false
	}
	defer now.Close()
	return r.isCopied(i, now)
}

// reopen opens what an O_PATH handle of a regular file is of.
func reopen(h, flags int) (*os.File, error) {
	if s, _, err := stat(h, ""); err != nil || !s.Regular() {
		return nil, errors.New("it is not a regular file")
	}
	fd, err := openAgain(h, flags|unix.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "file"), nil
}

// rewrite gives an inode its content and metadata. It writes from the start to the end, and cuts
// the file last: see torn.
func (r *restorer) rewrite(i *inode, h int, path string) error {
	if err := r.u.Write(h, path); err != nil {
		return err
	}
	return r.write(i, h)
}

func (r *restorer) write(i *inode, h int) error {
	src, err := r.objects.openCopy(r.run, i)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := reopen(h, unix.O_WRONLY)
	if errors.Is(err, unix.EACCES) && chmod(h, i.before.Mode|0o200) == nil {
		dst, err = reopen(h, unix.O_WRONLY)
	}
	if err != nil {
		return err
	}
	defer dst.Close()
	if err := fill(int(dst.Fd()), src, i.before.Size); err != nil {
		return err
	}
	return restoreMarks(h, i.before, i.attributes)
}

// beside writes what a file was before the run next to it.
func (r *restorer) beside(i *inode, dir int, name, path string) {
	other := besideName(name, r.run.book.head.run)
	if r.u == nil {
		r.step(path, Beside, other)
		return
	}
	err := r.u.Make(dir, pathOf(dir), other)
	if err == nil {
		err = r.copyBack(i, dir, other)
	}
	if err != nil {
		r.step(path, Refuse, err.Error())
		return
	}
	r.step(path, Beside, other)
}

// besideName is the name under which an undo writes what was before.
func besideName(name, run string) string {
	end := ".before-" + run
	return name[:min(len(name), max(unix.NAME_MAX-len(end), 1))] + end
}
