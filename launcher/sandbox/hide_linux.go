//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// within reports whether name is root or lies below it. Both are clean and absolute.
func within(name, root string) bool {
	return name == root || root == "/" || strings.HasPrefix(name, root) && name[len(root)] == '/'
}

// resolve returns the names of the hidden objects that exist, links resolved.
func resolve(names []string) ([]string, error) {
	var real []string
	for _, name := range names {
		if !filepath.IsAbs(name) {
			return nil, fmt.Errorf("sandbox: %q is not an absolute name", name)
		}
		r, err := filepath.EvalSymlinks(name)
		if os.IsNotExist(err) || os.IsPermission(err) {
			continue // the child has no more rights than this process: what it cannot look at, the child cannot
		}
		if err != nil {
			return nil, fmt.Errorf("sandbox: hide %q: %w", name, err)
		}
		real = append(real, r)
	}
	return real, nil
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

// allowAround grants rights on p except where it is hidden. Landlock has no "but not", so around a hidden name every sibling
// gets its own rule, on every level from p down to it. What appears there later gets none, and so is out of reach too.
// The folders on the way can still be listed, and with them, names only, the hidden ones.
func (r *ruleset) allowAround(p Path, rights uint64, hidden []string) error {
	for _, h := range hidden {
		if p.Name == h {
			return nil
		}
	}
	hidden = below(hidden, p.Name)
	if len(hidden) == 0 {
		return r.allowPath(p, rights)
	}
	list := p
	list.NoExec = true
	if err := r.allowPath(list, fsList); err != nil {
		return err
	}
	dir, err := openList(p)
	if err != nil {
		return fmt.Errorf("sandbox: list %q: %w", p.Name, err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return fmt.Errorf("sandbox: list %q: %w", p.Name, err)
	}
	for _, name := range names {
		fd, err := unix.Openat(int(dir.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // gone since it was listed: nothing to allow
		}
		file := os.NewFile(uintptr(fd), name)
		child := Path{Name: filepath.Join(p.Name, name), File: file, NoExec: p.NoExec}
		if !isLink(fd) { // a link needs no right; what it points to has its own name
			err = r.allowAround(child, rights, hidden)
		}
		file.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// openList opens the directory p for reading its names.
func openList(p Path) (*os.File, error) {
	if p.File == nil {
		return os.Open(p.Name)
	}
	var dir *os.File
	err := control(p.File, func(fd int) error {
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
