package mounts

import (
	"strings"
	"sync"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/proc"
)

// A mount is a line of /proc/self/mountinfo: the directory point shows the directory root of the
// file system of device.
type mount struct{ device, root, point string }

// Table are all mounts of this process, in the order of the kernel: the last one at a point is the
// one that is seen.
type Table struct {
	list  []mount
	twice map[string]bool // devices that are mounted more than once
}

// last is the table that was made last, and of which text.
var last struct {
	sync.Mutex
	version int
	table   *Table
}

// Now returns the mounts of this process. Where they cannot be read there are none.
func Now() *Table {
	last.Lock()
	defer last.Unlock()
	text, version := proc.Mounts()
	if last.table == nil || last.version != version {
		last.version, last.table = version, parseMounts(text)
	}
	return last.table
}

func parseMounts(text string) *Table {
	m := &Table{twice: map[string]bool{}}
	for line := range strings.Lines(text) {
		f := strings.SplitN(line, " ", 6) // id, parent, major:minor, root, mount point, options
		if len(f) < 6 {
			continue
		}
		_, again := m.twice[f[2]]
		m.twice[f[2]] = again
		m.list = append(m.list, mount{f[2], unoctal(f[3]), unoctal(f[4])})
	}
	return m
}

// unoctal undoes what the kernel does to blanks, newlines and backslashes in names.
func unoctal(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// over returns the index of the mount that contains a real path, or -1.
func (m *Table) over(path string) int {
	found := -1
	for i := range m.list {
		if pathname.Within(path, m.list[i].point) &&
			(found < 0 || len(m.list[i].point) >= len(m.list[found].point)) {
			found = i
		}
	}
	return found
}

// Others returns the other names that a real path has by mounts. Parts are mount points where
// something below it is seen: with a file behind such a name the path itself is not reached.
func (m *Table) Others(path string) (names, parts []string) {
	own := m.over(path)
	if own < 0 || !m.twice[m.list[own].device] {
		return nil, nil
	}
	inside := pathname.Join(m.list[own].root,
		strings.TrimPrefix(path[len(strings.TrimSuffix(m.list[own].point, "/")):], "/"))
	for i := range m.list {
		n := &m.list[i]
		if i == own || n.device != m.list[own].device {
			continue
		}
		switch {
		case pathname.Within(inside, n.root):
			name := pathname.Join(n.point,
				strings.TrimPrefix(inside[len(strings.TrimSuffix(n.root, "/")):], "/"))
			if name != path && m.over(name) == i {
				names = append(names, name)
			}
		case pathname.Within(n.root, inside) && n.point != path && m.over(n.point) == i:
			parts = append(parts, n.point)
		}
	}
	return names, parts
}

// Below returns the mount points strictly below a directory.
func (m *Table) Below(dir string) (points []string) {
	for i := range m.list {
		if p := m.list[i].point; p != dir && pathname.Within(p, dir) && m.twice[m.list[i].device] &&
			m.over(p) == i {
			points = append(points, p)
		}
	}
	return points
}
