package pathguard

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/shellparse/command"
)

// The bounds of looking for the other names of a file with hard links: of each secret folder, and
// of the workspace.
const (
	maxLinkSecrets = 512
	maxLinkNames   = 1 << 14
)

// linked looks for the other names of a regular file that has more than one: whether one of them is
// a secret, and of a file that is written, how many are not in the workspace.
func (r *resolver) linked(t *Target, names int) {
	for _, name := range r.secrets()[t.ID] {
		if name != t.Real {
			t.Others = append(t.Others, name)
		}
	}
	if t.Right != command.Read && t.Right != command.Exec && within(t.Real, r.plan.Workspace) && r.plan.Workspace != "" {
		t.Linked = max(0, names-r.namesIn(r.plan.Workspace, t.ID))
	}
}

// secrets are the files of built-in secret names and of tada-run's own state, by their inode. They
// are read when the first file with hard links is met, which most plans have none of.
func (r *resolver) secrets() map[ID][]string {
	if r.share.secrets != nil {
		return r.share.secrets
	}
	r.share.secrets = map[ID][]string{}
	d := openDisk()
	defer d.close()
	c := r.plan.Caller
	roots := d.existing(nil, []string{c.Home, c.Env["HOME"]}, append(append([]string{}, secretNames()...), "~/.tada")...)
	if c.StateDir != "" {
		roots = append(roots, c.StateDir)
	}
	if ws := r.plan.Workspace; ws != "" {
		for _, e := range d.list(ws).entries {
			if anyLoose(secretNames(), ws, e.name) {
				roots = append(roots, join(ws, e.name))
			}
		}
	}
	for _, root := range tidy(roots) {
		left := maxLinkSecrets
		eachFile(root, func(name string, id ID) bool {
			r.share.secrets[id] = append(r.share.secrets[id], name)
			left--
			return left > 0
		})
	}
	return r.share.secrets
}

// namesIn counts the names that a file has in a directory and below it.
func (r *resolver) namesIn(dir string, id ID) (found int) {
	left := maxLinkNames
	eachFile(dir, func(_ string, other ID) bool {
		if other == id {
			found++
		}
		left--
		return left > 0
	})
	return found
}

// linkedOutside returns the files of the workspace that have hard links outside it. Build output
// and packages are left out: their tools replace files, and a store of packages is no person's work.
func (r *resolver) linkedOutside() (outside []string) {
	if r.plan.Workspace == "" || r.plan.exact() {
		return nil
	}
	d := openDisk()
	defer d.close()
	links, names := map[ID]int{}, map[ID]string{} // of each file, the links that were not met yet
	dirs, looked := []string{r.plan.Workspace}, 0
	for n := 0; n < len(dirs) && n < maxSearched && looked < maxLooked; n++ {
		for _, e := range d.list(dirs[n]).entries {
			looked++
			name := join(dirs[n], e.name)
			var st unix.Stat_t
			switch {
			case e.isDir() && e.name != ".git" && !regenerable.has(e.name):
				dirs = append(dirs, name)
			case e.kind == unix.DT_REG && unix.Lstat(name, &st) == nil && st.Nlink > 1:
				id := ID{uint64(st.Dev), st.Ino}
				if links[id]++; names[id] == "" {
					links[id], names[id] = 1-int(st.Nlink), name
				}
			}
		}
	}
	for id, left := range links {
		if left < 0 {
			outside = append(outside, names[id])
		}
	}
	slices.Sort(outside)
	return outside
}

// eachFile calls visit for the regular files with more than one name that are at a path or below
// it, until it says false.
func eachFile(root string, visit func(string, ID) bool) {
	_ = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		var st unix.Stat_t
		if err != nil || !strings.HasPrefix(name, "/") || !e.Type().IsRegular() || unix.Lstat(name, &st) != nil || st.Nlink < 2 {
			return nil
		}
		if !visit(name, ID{uint64(st.Dev), st.Ino}) {
			return fs.SkipAll
		}
		return nil
	})
}

// maxInodes bounds the names of hidden files that are compared with those of the workspace.
const maxInodes = 4096

// inodes returns the inodes of hidden files, each with a name: of those that are hidden themselves
// and of those in hidden folders, two deep. A listing tells them without a look at each file.
func (d *disk) inodes(hidden []string) map[uint64]string {
	found := map[uint64]string{}
	var in func(dir string, deep int)
	in = func(dir string, deep int) {
		for _, e := range d.list(dir).entries {
			switch {
			case len(found) >= maxInodes:
				return
			case e.kind == unix.DT_REG:
				found[e.ino] = join(dir, e.name)
			case e.isDir() && deep > 0:
				in(join(dir, e.name), deep-1)
			}
		}
	}
	for _, name := range hidden {
		var st unix.Stat_t
		switch {
		case within(name, "/proc") || within(name, "/sys") || unix.Lstat(name, &st) != nil:
		case st.Mode&unix.S_IFMT == unix.S_IFREG && st.Nlink > 1:
			found[st.Ino] = name
		case st.Mode&unix.S_IFMT == unix.S_IFDIR:
			in(name, 1)
		}
	}
	return found
}

// sameFile reports whether two names are of one file.
func sameFile(a, b string) bool {
	var x, y unix.Stat_t
	return unix.Lstat(a, &x) == nil && unix.Lstat(b, &y) == nil && x.Dev == y.Dev && x.Ino == y.Ino
}
