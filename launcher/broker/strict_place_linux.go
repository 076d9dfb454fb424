//go:build amd64 || arm64

package broker

import "golang.org/x/sys/unix"

// placeInTree finds the place that a name means, in the mounts of the run. With plain, one in a
// folder that is not plain, or that is not there, is errElsewhere.
func (f *files) placeInTree(r *fileRequest, at int, path string, plain bool) (*spot, error) {
	p, err := f.findInTree(r, at, path)
	if !plain || err == errSlow {
		return p, err
	}
	if err == nil && !f.isPlain(p.in) {
		p.close()
		return nil, errElsewhere
	}
	if err != nil {
		return nil, errElsewhere
	}
	return p, nil
}

func (f *files) findInTree(r *fileRequest, at int, path string) (*spot, error) {
	if path == "" {
		return nil, unix.ENOENT
	}
	name, err := r.full(at, path)
	if err != nil {
		return nil, err
	}
	in, last, slash, ok := splitName(name)
	if !ok {
		return nil, unix.EINVAL
	}
	p := &spot{name: last, slash: slash, folder: &unix.Statx_t{}}
	if p.dir, err = f.lookUp(r, in, unix.O_DIRECTORY); err != nil {
		return nil, err
	}
	if err = p.know(r); err == nil && !r.waits() {
		err = unix.ESRCH
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// mayGo returns the kind of what is at a place in a tree, or why the run may not make, remove or
// replace it there.
func (f *files) mayGo(p *spot) (kind uint16, err error) {
	if onSlow(p.folder) {
		if err := statx(p.dir, "", p.folder); err != nil {
			return 0, err
		}
	}
	var st unix.Statx_t
	err = statx(p.dir, p.name, &st)
	full := p.full()
	switch within := f.inPrivate(p.in) || f.trees.writable(p.in) && !f.trees.guards(full) &&
		f.grants(full, p.folder); {
	case err != nil && err != unix.ENOENT:
		return 0, err
	case !within:
		if err != nil {
			return 0, err
		}
		return 0, refusedAt(p.dir)
	case err == nil && st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0:
		return 0, unix.EBUSY
	}
	return st.Mode & unix.S_IFMT, err
}
