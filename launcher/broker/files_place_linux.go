//go:build amd64 || arm64

package broker

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// A spot is where an entry is or may come: its folder, open as a handle, and its name in there.
type spot struct {
	dir   int
	kept  bool   // the handle is not the spot's own
	in    string // the folder's name, as the kernel has it
	name  string
	slash bool // a slash followed
	top   bool // the folder is a shared directory itself
	owned bool // the runs of this workspace may make entries there
	area  area
	seen  bool // the caller may look into the folder

	folder *unix.Statx_t // about the folder, as statxKnown; nil where that was not asked
}

func (p *spot) close() {
	if !p.kept {
		unix.Close(p.dir)
	}
}

func (p *spot) full() string { return path.Join(p.in, p.name) }

// know finds out what is known of the folder of a place.
func (p *spot) know(r *fileRequest) (err error) {
	p.in, err = nameOf(p.dir)
	switch {
	case err != nil, statxKnown(p.dir, p.folder) != nil:
		return unix.EACCES
	case r.cached != 0 && onSlow(p.folder):
		return errSlow
	}
	return nil
}

// err is the answer when what is at a place, or is not, decides.
func (p *spot) err(errno unix.Errno) error {
	if !p.seen {
		return errElsewhere
	}
	return errno
}

// maxLinks is how many symbolic links in a row the kernel follows.
const maxLinks = 40

// locate finds the place that a name means, if it is one that the broker decides about. It returns
// errApart when the kernel does, and errElsewhere when it cannot tell.
func (f *files) locate(r *fileRequest, at int, name string, follow bool) (*spot, error) {
	p, err := f.find(r, at, name, follow)
	if err == nil && p.area == areaRuled {
		p.close()
		return nil, errApart
	}
	return p, err
}

// find is locate, and finds places too where Landlock grants all rights beside something guarded.
// The name is looked up in the launcher's own mounts, where the run has the same names but for what
// is hidden from it.
func (f *files) find(r *fileRequest, at int, name string, follow bool) (*spot, error) {
	name, err := r.full(at, name)
	for range maxLinks {
		if err != nil || outside(name) {
			return nil, errElsewhere
		}
		if f.apart(r, name, follow) {
			return nil, errApart
		}
		p, err := f.spot(r, name)
		if err != nil {
			return nil, err
		}
		if follow && !(r.looks && f.inView(p.full())) {
			if target, ok := readLink(p.dir, p.name); ok {
				name = target
				if target != "" && target[0] != '/' {
					name = p.in + "/" + target
				}
				p.close()
				continue
			}
		}
		if !f.inView(p.full()) {
			var guarded bool
			if p.area, guarded = f.guard.area(p.in); !guarded {
				p.close()
				return nil, errApart
			}
		}
		return p, f.look(p)
	}
	return nil, errElsewhere
}

// spot opens the folder that an absolute name is in. Most are a shared directory itself, which is
// open.
func (f *files) spot(r *fileRequest, name string) (*spot, error) {
	in, last, slash, ok := splitName(name)
	if !ok {
		return nil, errElsewhere
	}
	p := &spot{name: last, slash: slash}
	for _, d := range f.dirs() {
		if in[:len(in)-1] == d.name {
			p.dir, p.kept, p.in, p.top, p.seen = d.fd, true, d.name, true, d.seen
			return p, nil
		}
	}
	var err error
	if p.dir, err = r.folder(in); err != nil {
		return nil, err
	}
	if p.in, err = nameOf(p.dir); err != nil {
		p.close()
		return nil, errElsewhere
	}
	return p, nil
}

// splitName splits an absolute name into that of a folder, which ends in a slash, and that of the
// entry in it; slash says that one followed. It is not ok where the name ends in dots, or is "/".
func splitName(name string) (in, last string, slash, ok bool) {
	trimmed := strings.TrimRight(name, "/")
	end := strings.LastIndexByte(trimmed, '/')
	in, last = trimmed[:end+1], trimmed[end+1:]
	return in, last, trimmed != name, end >= 0 && last != "." && last != ".."
}

// folder opens a directory as a handle.
func (r *fileRequest) folder(name string) (int, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, name, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_MAGICLINKS | r.cached,
	})
	switch {
	case err == unix.EAGAIN && r.cached != 0:
		return -1, errSlow
	case err != nil:
		return -1, errElsewhere
	case r.cached != 0 && isSlow(fd):
		unix.Close(fd)
		return -1, errSlow
	}
	return fd, nil
}

// look finds out whose the folder of a place is.
func (f *files) look(p *spot) error {
	if p.top && p.area == areaView {
		p.owned = true
		return nil
	}
	var st unix.Statx_t
	if err := statx(p.dir, "", &st); err != nil {
		p.close()
		return errElsewhere
	}
	for _, d := range f.dirs() {
		p.top = p.top || d.ino == st.Ino && d.dev == unix.Mkdev(st.Dev_major, st.Dev_minor)
	}
	p.seen = isSeen(st.Uid, uint32(st.Mode))
	if p.area != areaView {
		return nil
	}
	p.owned = p.top || f.opened(p.in, &st) || f.ours(&st) || f.named(p.full())
	return nil
}

// mayChange reports whether what is at a place may be changed or removed.
func (f *files) mayChange(p *spot, st *unix.Statx_t) bool {
	if p.area != areaView {
		return f.guard.forbids(p.full(), st, true) == ""
	}
	return !f.hidden(p.full()) && (f.ours(st) || f.named(p.full()))
}

// alone waits until nothing else is changed. The thread that receives calls does not wait: on a
// slow file system a change can take any time.
func (f *files) alone(r *fileRequest) error {
	if r.cached == 0 {
		f.book.changing.Lock()
	} else if !f.book.changing.TryLock() {
		return errSlow
	}
	return nil
}
