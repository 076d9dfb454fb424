//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/pathguard/dirent"
)

// resolve returns the names of the hidden objects that exist, links resolved.
func resolve(names []string) ([]string, error) {
	var real []string
	for _, name := range names {
		if !filepath.IsAbs(name) {
			return nil, fmt.Errorf("sandbox: %q is not an absolute name", name)
		}
		r, err := realName(name)
		if os.IsNotExist(err) || os.IsPermission(err) {
			// the child has no more rights than this process: what it cannot look at, the child
			// cannot
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("sandbox: hide %q: %w", name, err)
		}
		real = append(real, r)
	}
	return real, nil
}

// realName returns name with links resolved. Nearly always there are none, which one call shows;
// asking for every directory on the way to each of some twenty names takes a hundred.
func realName(name string) (string, error) {
	if name == filepath.Clean(name) {
		fd, err := unix.Openat2(unix.AT_FDCWD, name,
			&unix.OpenHow{Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
				Resolve: unix.RESOLVE_NO_SYMLINKS})
		if err == nil {
			defer unix.Close(fd)
			if !isLink(fd) {
				return name, nil
			}
		}
		if err == unix.ENOENT || err == unix.EACCES {
			return "", err
		}
	}
	return filepath.EvalSymlinks(name)
}

// below returns those of names that lie strictly below root.
func below(names []string, root string) []string {
	var list []string
	for _, name := range names {
		if name != root && within(name, root) {
			list = append(list, name)
		}
	}
	return list
}

// An around is what is granted around something: rights on the other entries, and list on the
// folders on the way to it. Who may list these sees the names of what is hidden, and no more.
type around struct {
	rights, list uint64
	ruled        map[broker.Identity]bool // where the entries are noted; nil for nowhere
}

func (a around) note(fd int) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil {
		a.ruled[broker.Identity{Dev: st.Dev, Ino: st.Ino}] = true
	}
}

// allowAround grants rights on p except where it is hidden. Landlock has no "but not", so around a
// hidden name every sibling gets its own rule, on every level from p down to it. What appears there
// later gets none, and so is out of reach too.
func (r *ruleset) allowAround(p Path, a around, hidden []string) error {
	if contains(hidden, p.Name) {
		return nil
	}
	if hidden = below(hidden, p.Name); len(hidden) == 0 {
		return r.allowPath(p, a.rights)
	}
	dir, err := openList(p)
	if err != nil {
		return fmt.Errorf("sandbox: list %q: %w", p.Name, err)
	}
	defer dir.Close()
	if p.NoExec {
		a.rights &^= fsExec
	}
	if err := r.siblings(int(dir.Fd()), p.Name, a, hidden); err != nil {
		return fmt.Errorf("sandbox: allow what is in %q: %w", p.Name, err)
	}
	return nil
}

// siblings allows what is in the open directory name but for what is hidden, one rule for each.
func (r *ruleset) siblings(dir int, name string, a around, hidden []string) error {
	if err := r.allow(dir, a.list); err != nil {
		return err
	}
	through := map[string][]string{} // first component to the hidden names it leads to
	for _, h := range hidden {
		first, _, _ := strings.Cut(strings.TrimPrefix(h[len(name):], "/"), "/")
		through[first] = append(through[first], h)
	}
	if err := r.entries(dir, a, through); err != nil {
		return err
	}
	for first, names := range through {
		full := filepath.Join(name, first)
		if contains(names, full) {
			continue
		}
		fd, err := unix.Openat(dir, first,
			unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // gone, or not ours to list: nothing to allow
		}
		err = r.siblings(fd, full, a, names)
		unix.Close(fd)
		if err != nil {
			return err
		}
	}
	return nil
}

// entries allows what is in the open directory but for what leads to something hidden.
func (r *ruleset) entries(dir int, a around, through map[string][]string) error {
	if r.buffer == nil {
		r.buffer = make([]byte, 8<<10)
	}
	for {
		n, err := unix.Getdents(dir, r.buffer)
		if err == unix.EINTR {
			continue
		}
		if n <= 0 || err != nil {
			return err
		}
		for e, rest, ok := dirent.Next(r.buffer[:n]); ok; e, rest, ok = dirent.Next(rest) {
			// A link needs no right: what it points to has its own name. A socket is not opened.
			if e.Kind == unix.DT_LNK || e.Kind == unix.DT_SOCK || through[string(e.Name)] != nil {
				continue
			}
			if err := r.sibling(dir, e, a); err != nil {
				return err
			}
		}
	}
}

// sibling allows one entry of dir. It runs for some hundred names at nearly every start, so it asks
// the kernel three times for a name, as plainly as can be, and allocates nothing.
func (r *ruleset) sibling(dir int, entry dirent.Entry, a around) error {
	fd, _, errno := syscall.RawSyscall6(unix.SYS_OPENAT, uintptr(dir),
		uintptr(unsafe.Pointer(&entry.Name[0])), unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0, 0,
		0)
	if errno != 0 {
		return nil // gone since it was listed, or not ours to reach: nothing to allow
	}
	defer syscall.RawSyscall(unix.SYS_CLOSE, fd, 0, 0)
	if a.ruled != nil {
		a.note(int(fd))
	}
	rights := a.rights
	switch {
	case entry.Kind == unix.DT_UNKNOWN:
		if isLink(int(fd)) {
			return nil
		}
		return r.allow(int(fd), rights)
	case entry.Kind != unix.DT_DIR:
		rights &= fsOfFile
	}
	return r.addRule(int(fd), rights)
}

// openList opens the directory p for reading its names.
func openList(p Path) (*os.File, error) {
	if p.File == nil {
		return os.Open(p.Name)
	}
	var dir *os.File
	err := broker.Control(p.File, func(fd int) error {
		n, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err == nil {
			dir = os.NewFile(uintptr(n), p.Name)
		}
		return err
	})
	return dir, err
}

func isLink(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK
}
