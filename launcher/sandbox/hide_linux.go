//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

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
	if contains(hidden, p.Name) {
		return nil
	}
	if hidden = below(hidden, p.Name); len(hidden) == 0 {
		return r.allowPath(p, rights)
	}
	dir, err := openList(p)
	if err != nil {
		return fmt.Errorf("sandbox: list %q: %w", p.Name, err)
	}
	defer dir.Close()
	if p.NoExec {
		rights &^= fsExec
	}
	if err := r.siblings(int(dir.Fd()), p.Name, rights, hidden); err != nil {
		return fmt.Errorf("sandbox: allow what is in %q: %w", p.Name, err)
	}
	return nil
}

// siblings allows what is in the open directory name but for what is hidden, one rule for each. It runs at nearly every start, for
// directories like /etc, so it asks the kernel three times for a name and no more.
func (r *ruleset) siblings(dir int, name string, rights uint64, hidden []string) error {
	if err := r.allow(dir, fsList); err != nil {
		return err
	}
	through := map[string][]string{} // first component to the hidden names it leads to
	for _, h := range hidden {
		first, _, _ := strings.Cut(strings.TrimPrefix(h[len(name):], "/"), "/")
		through[first] = append(through[first], h)
	}
	buffer := make([]byte, 32<<10)
	for {
		n, err := unix.Getdents(dir, buffer)
		if err == unix.EINTR {
			continue
		}
		if n <= 0 || err != nil {
			return err
		}
		for rest := buffer[:n]; len(rest) > 0; {
			var entry string
			var kind uint8
			entry, kind, rest = direntry(rest)
			// A link needs no right: what it points to has its own name. A socket is not opened.
			if entry == "." || entry == ".." || kind == unix.DT_LNK || kind == unix.DT_SOCK {
				continue
			}
			if err := r.sibling(dir, filepath.Join(name, entry), entry, kind, rights, through[entry]); err != nil {
				return err
			}
		}
	}
}

// sibling allows one entry of dir, or what is in it around what is hidden.
func (r *ruleset) sibling(dir int, full, entry string, kind uint8, rights uint64, hidden []string) error {
	if contains(hidden, full) {
		return nil
	}
	flags := unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	if len(hidden) > 0 {
		flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	}
	fd, err := unix.Openat(dir, entry, flags, 0)
	if err != nil {
		return nil // gone since it was listed, or not ours to list: nothing to allow
	}
	defer unix.Close(fd)
	switch {
	case len(hidden) > 0:
		return r.siblings(fd, full, rights, hidden)
	case kind == unix.DT_UNKNOWN:
		if isLink(fd) {
			return nil
		}
		return r.allow(fd, rights)
	case kind != unix.DT_DIR:
		rights &= fsOfFile
	}
	return r.addRule(fd, rights)
}

// direntry reads one struct linux_dirent64 and returns what comes after it.
func direntry(b []byte) (name string, kind uint8, rest []byte) {
	length := int(binary.NativeEndian.Uint16(b[16:]))
	text := b[19:length]
	if end := bytes.IndexByte(text, 0); end >= 0 {
		text = text[:end]
	}
	return string(text), b[18], b[length:]
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
