package resolve

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
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
	if t.Right != command.Read && t.Right != command.Exec &&
		pathname.Within(t.Real, r.plan.Workspace) && r.plan.Workspace != "" {
		t.Linked = max(0, names-r.namesIn(r.plan.Workspace, t.ID))
	}
}

// secrets are the files of built-in secret names and of tada-run's own state, by their inode. They
// are read when the first file with hard links is met, which most plans have none of.
func (r *resolver) secrets() map[walk.ID][]string {
	if r.share.secrets == nil {
		r.share.secrets = once(r.plan.Caller.Look, "secrets", r.plan.Workspace, r.findSecrets)
	}
	return r.share.secrets
}

func (r *resolver) findSecrets() map[walk.ID][]string {
	secrets := map[walk.ID][]string{}
	d := walk.OpenDisk()
	defer d.Close()
	c := r.plan.Caller
	roots := d.Existing(nil, []string{c.Home, c.Env["HOME"]},
		append(append([]string{}, pathname.Secrets()...), "~/.tada")...)
	if c.StateDir != "" {
		roots = append(roots, c.StateDir)
	}
	if ws := r.plan.Workspace; ws != "" {
		for _, e := range d.List(ws).Entries {
			if pathname.AnyDeep(pathname.Secrets(), ws, e.Name) {
				roots = append(roots, pathname.Join(ws, e.Name))
			}
		}
	}
	for _, root := range pathname.SortUnique(roots) {
		left := maxLinkSecrets
		eachFile(root, func(name string, id walk.ID) bool {
			secrets[id] = append(secrets[id], name)
			left--
			return left > 0
		})
	}
	return secrets
}

// namesIn counts the names that a file has in a directory and below it.
func (r *resolver) namesIn(dir string, id walk.ID) (found int) {
	left := maxLinkNames
	eachFile(dir, func(_ string, other walk.ID) bool {
		if other == id {
			found++
		}
		left--
		return left > 0
	})
	return found
}

// linkedOutside returns the files of a workspace that have hard links outside it. Build output and
// packages are left out: their tools replace files, and a store of packages is no person's work.
func linkedOutside(workspace string) (outside []string) {
	d := walk.OpenDisk()
	defer d.Close()
	// of each file, the links that were not met yet
	links, names := map[walk.ID]int{}, map[walk.ID]string{}
	dirs, looked := []string{workspace}, 0
	for n := 0; n < len(dirs) && n < walk.MaxSearched && looked < walk.MaxLooked; n++ {
		for _, e := range d.List(dirs[n]).Entries {
			looked++
			name := pathname.Join(dirs[n], e.Name)
			var st unix.Stat_t
			switch {
			case e.IsDir() && e.Name != ".git" && !slices.Contains(pathname.Regenerable, e.Name):
				dirs = append(dirs, name)
			case e.Kind == unix.DT_REG && unix.Lstat(name, &st) == nil && st.Nlink > 1:
				id := walk.IDOf(&st)
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
func eachFile(root string, visit func(string, walk.ID) bool) {
	_ = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		var st unix.Stat_t
		if err != nil || !strings.HasPrefix(name, "/") || !e.Type().IsRegular() ||
			unix.Lstat(name, &st) != nil || st.Nlink < 2 {
			return nil
		}
		if !visit(name, walk.IDOf(&st)) {
			return fs.SkipAll
		}
		return nil
	})
}
