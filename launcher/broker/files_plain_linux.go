//go:build amd64 || arm64

package broker

import (
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// fileAnswers are the answers to calls about files, each after what it changes was announced.
type fileAnswers struct {
	*files
	changes *capture
}

// openPlain is openInPlace for a regular file in a folder of which nothing is guarded or shared,
// as nearly all are: one look-up finds it, says what is kept of it, and is what is opened. All else
// is errApart.
func (f *fileAnswers) openPlain(r *fileRequest) (int, error) {
	if !f.provides || r.does != opens || !r.changesInPlace() || r.announced {
		return -1, errApart
	}
	text, err := r.wholeName()
	if err != nil || outside(text) || !f.isPlain(path.Dir(text)) {
		return -1, errApart
	}
	at, err := f.lookUp(r, text, uint64(r.flags&unix.O_NOFOLLOW))
	switch {
	case err == nil:
	case (err == unix.ENOENT || err == errSlow) && r.flags&unix.O_CREAT != 0:
		return f.createPlain(r)
	case err == errSlow:
		return -1, errSlow
	default:
		return -1, errApart
	}
	defer unix.Close(at)
	var st unix.Statx_t
	if err = statxKnown(at, &st); err == nil && onSlow(&st) {
		if r.cached != 0 {
			return -1, errSlow
		}
		err = statx(at, "", &st)
	}
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink == 0 {
		return -1, errApart
	}
	// The name is read after the number of links, see openOnce.
	name, err := nameOf(at)
	if err != nil || !f.isPlain(path.Dir(name)) || !r.waits() || !f.writes(name, &st) {
		return -1, errApart
	}
	if err := f.mayWrite(r, at, name, &st); err != nil {
		return -1, err
	}
	f.changes.written(at, name)
	r.announced = true
	return f.openFor(r, at, &st)
}

// createPlain is openPlain for a file that was not there.
func (f *fileAnswers) createPlain(r *fileRequest) (int, error) {
	at, p, err := f.entry(r)
	if p != nil {
		defer p.close()
	}
	switch {
	case err == nil:
		unix.Close(at)
		if r.cached == 0 { // it was made meanwhile
			return -1, errApart
		}
		return -1, errSlow // it is not in the kernel's memory
	case err == errSlow:
		return -1, errSlow
	case p == nil, err != unix.ENOENT, !f.isPlain(p.in):
		return -1, errApart
	}
	f.changes.made(p)
	fd, err := f.createInPlace(r, p)
	if err == errAgain {
		return -1, errApart
	}
	r.announced = err != errSlow
	return fd, err
}

// isPlain reports whether the kernel alone decides about the entries of a folder.
func (f *files) isPlain(dir string) bool {
	if _, guarded := f.guard.area(dir); guarded {
		return false
	}
	return !slices.ContainsFunc(f.dirs(), func(d viewDir) bool {
		return within(dir, d.name) && !f.trees.holds(dir)
	})
}
