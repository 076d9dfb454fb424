//go:build amd64 || arm64

package broker

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// symlink makes a symbolic link. In a shared directory it leads nowhere but to the workspace's own
// entries, the workspace, or a program of the system. A program outside that follows it does so
// with all its rights.
func (f *files) symlink(r *fileRequest) (int, error) {
	return -1, f.makeAt(r, r.first, r.at, func(p *spot) error {
		if p.slash {
			return unix.ENOENT
		}
		if p.area == areaView && !f.leadsToOwn(r.second) {
			inside, err := f.leadsInside(r, p, r.second)
			if err != nil {
				return err
			}
			if !inside {
				f.told.add(r.call, p.full(), "the link would lead to "+r.second)
				return unix.EACCES
			}
		}
		return f.makeEntry(p, 0, unix.S_IFLNK,
			func() error { return unix.Symlinkat(r.second, p.dir, p.name) })
	})
}

// leadsInside reports whether a link at p with that target stays inside. The text decides, so dots
// may be at its beginning only: behind another link they would lead elsewhere. What the run may
// write can have links of its own, so these are followed too.
func (f *files) leadsInside(r *fileRequest, p *spot, target string) (bool, error) {
	down := false
	for _, component := range strings.Split(target, "/") {
		switch component {
		case "", ".":
		case "..":
			if down || path.IsAbs(target) {
				return false, nil
			}
		default:
			down = true
		}
	}
	name := path.Clean(target)
	if !path.IsAbs(name) {
		name = path.Join(p.in, target)
	}
	switch {
	case !f.mayLeadTo(name):
		return false, nil
	case withinAny(name, f.view.System):
		return true, nil
	}
	return f.endsInside(r, name)
}

// mayLeadTo reports whether a link may have this name as its target.
func (f *files) mayLeadTo(name string) bool {
	return !f.trees.guards(name) && !f.hidden(name) &&
		(withinAny(name, f.view.System) || f.trees.holds(name) || f.ownName(name))
}

// endsInside follows the links behind a name to what is there, or would be made there. Where a
// folder of it is missing, that counts.
func (f *files) endsInside(r *fileRequest, name string) (bool, error) {
	for range maxLinks {
		in, last, _, ok := splitName(name)
		if !ok {
			in, last = name, "."
		}
		dir, err := unix.Openat2(unix.AT_FDCWD, in, &unix.OpenHow{
			Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
			Resolve: unix.RESOLVE_NO_MAGICLINKS | r.cached,
		})
		switch {
		case err == unix.EAGAIN && r.cached != 0:
			return false, errSlow
		case err == unix.ENOENT && ok:
			name = strings.TrimRight(in, "/")
			continue
		case err != nil:
			return false, nil
		}
		at, err := nameOf(dir)
		target, linked := readLink(dir, last)
		unix.Close(dir)
		switch {
		case err != nil:
			return false, nil
		case !linked:
			return f.mayLeadTo(path.Join(at, last)), nil
		}
		if name = target; !path.IsAbs(target) {
			name = at + "/" + target
		}
	}
	return false, nil
}

// ownName reports whether name is an entry of the workspace's own in the view, or is below one.
func (f *files) ownName(name string) bool {
	for _, d := range f.dirs() {
		rest, ok := strings.CutPrefix(name, d.name+"/")
		if !ok {
			continue
		}
		first, _, _ := strings.Cut(rest, "/")
		var st unix.Statx_t
		return statx(d.fd, first, &st) == nil && f.ours(&st)
	}
	return false
}
