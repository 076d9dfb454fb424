//go:build amd64 || arm64

package broker

import (
	"crypto/rand"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// fifo makes a FIFO that is seen by the run alone. The caller holds changing.
func (f *files) fifo(r *fileRequest, p *spot) error {
	mode := r.mode & permission &^ f.umask.of(r.call)
	return f.makeInside(r, p, func(dir int, name string) error {
		err := unix.Mknodat(dir, name, unix.S_IFIFO|mode, 0)
		_ = unix.Fchmodat(dir, name, mode, 0)
		return err
	})
}

// makeInside makes something in the run's own file system, and a link to it.
func (f *files) makeInside(r *fileRequest, p *spot, made func(dir int, name string) error) error {
	dir, err := f.inside(r.call)
	if err != nil || len(f.own.links) >= maxInsides {
		f.told.add(r.call, p.full(), "shared directories get no sockets, FIFOs and devices")
		return unix.EPERM
	}
	name := rand.Text()
	if err := made(dir, name); err != nil {
		return err
	}
	target := path.Join(f.view.Inside, name)
	err = f.makeEntry(p, 0, unix.S_IFLNK,
		func() error { return unix.Symlinkat(target, p.dir, p.name) })
	if err != nil {
		_ = unix.Unlinkat(dir, name, 0)
		return err
	}
	f.own.links[target] = p.full()
	return nil
}

// bind gives a Unix socket a name in the view, and reports whether it answers: other names are the
// kernel's to give. The kernel remembers a name by which the launcher has found the place, see
// socketName. With cached the error may be errSlow.
func (f *files) bind(c *call, socket int, name string, cached uint64) (bool, error) {
	if f == nil || f.view.Inside == "" || name == "" {
		return false, nil
	}
	err := f.bindAt(c, socket, name, cached)
	if err == errSlow {
		return false, err
	}
	return f.bound(c, err), nil
}

func (f *files) bindAt(c *call, socket int, name string, cached uint64) error {
	r := &fileRequest{call: c, cached: cached}
	return f.makeAt(r, name, -1, func(p *spot) error {
		return f.makeInside(r, p, func(dir int, name string) error {
			return unix.Bind(socket, &unix.SockaddrUnix{Name: selfFile(dir) + "/" + name})
		})
	})
}

// bound answers a call, unless the name is the kernel's to give.
func (f *files) bound(c *call, err error) bool {
	switch err {
	case errElsewhere, errApart:
		return false
	case unix.EEXIST:
		err = unix.EADDRINUSE
	}
	c.reply(err)
	return true
}

// socketName is the path of the socket that name leads to: a link in the view, or a name that the
// kernel has given a program. With cached the error may be errSlow.
func (f *files) socketName(c *call, name string, cached uint64) (string, error) {
	if f == nil || f.view.Inside == "" {
		return name, nil
	}
	r := &fileRequest{call: c, cached: cached}
	if err := f.alone(r); err != nil {
		return "", err
	}
	defer f.book.changing.Unlock()
	p, err := f.locate(r, -1, name, false)
	if err == errSlow {
		return "", err
	}
	if err == nil {
		defer p.close()
		if target, ok := readLink(p.dir, p.name); ok && f.leadsToOwn(target) {
			return target, nil
		}
	}
	if own := path.Join(f.view.Inside, path.Base(name)); f.leadsToOwn(own) {
		return own, nil
	}
	return name, nil
}

// inside returns a handle of the run's own file system.
func (f *files) inside(c *call) (int, error) {
	switch {
	case f.view.Inside == "":
		return -1, unix.EPERM
	case f.own.dir != 0:
		return f.own.dir, nil
	}
	fd, err := unix.Open(c.process()+"root"+f.view.Inside,
		unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	var st unix.Statfs_t
	if err = unix.Fstatfs(fd, &st); err != nil || st.Type != unix.TMPFS_MAGIC || !c.waits() {
		unix.Close(fd)
		return -1, unix.EPERM
	}
	f.own.dir = fd
	return fd, nil
}

// leadsToOwn reports whether a link's target is a FIFO of the run.
func (f *files) leadsToOwn(target string) bool { return f.own.links[target] != "" }

// unlinked removes the FIFO that a link led to.
func (f *files) unlinked(target string) {
	if f.leadsToOwn(target) {
		delete(f.own.links, target)
		_ = unix.Unlinkat(f.own.dir, strings.TrimPrefix(target, f.view.Inside+"/"), 0)
	}
}

// closeInside removes the links that are still there.
func (f *files) closeInside() {
	for target, name := range f.own.links {
		b := make([]byte, len(target)+1)
		if n, err := unix.Readlink(name, b); err == nil && string(b[:n]) == target {
			_ = unix.Unlink(name)
		}
	}
	if f.own.dir != 0 {
		unix.Close(f.own.dir)
	}
}
