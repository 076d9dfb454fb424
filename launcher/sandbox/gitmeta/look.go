package gitmeta

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Most is a bound for Look that covers nearly every work tree and takes some tens of milliseconds.
const Most = 50000

// A Snapshot is what Git's folders below some roots held at one moment.
type Snapshot struct {
	// Incomplete is true when there were more names than were looked at.
	Incomplete bool
	// Kept are absolute paths that the command could not change: what changed in them is somebody else's work, and no Change.
	Kept []string
	// Careful is for a run beside which a person works: Undo then deletes nothing, but moves it aside or leaves a copy.
	Careful bool

	most     int
	roots    []*tree
	hookDirs []place // other folders of hooks, and other configurations, that the repositories' own configurations name
	includes []place
	links    []link
}

// A tree is one root and the repositories in it, by their path below the root. Loose are files by their path that belong to Git because a
// configuration says so.
type tree struct {
	name, real string
	repos      map[string]repo
	loose      repo
}

// A repo is the telling files of one folder of Git's, by their path in it. A file .git that points elsewhere is one too, with the only file "".
type repo map[string]file

// Look looks at every repository at or below roots, which are directories. It reads at most most names: the roots' own repositories first, then
// the roots in their order, near names first.
func Look(roots []string, most int) *Snapshot { return look(roots, most, nil) }

// look looks again when before is not nil: first at what was there then, so that nothing that has come since can use up the bound.
func look(roots []string, most int, before *Snapshot) *Snapshot {
	s := &Snapshot{most: most}
	left := &budget{names: most, bytes: maxBytes}
	var walkers []*walker
	for _, name := range roots {
		t := &tree{name: name, real: name, repos: map[string]repo{}, loose: repo{}}
		s.roots = append(s.roots, t)
		w := &walker{snapshot: s, tree: t, left: left}
		walkers = append(walkers, w)
		root, err := os.OpenRoot(name)
		if err != nil {
			continue // nothing that could be read later either
		}
		defer root.Close()
		w.root = root
		if real, err := filepath.EvalSymlinks(name); err == nil {
			t.real = real
		}
	}
	for _, w := range walkers {
		w.git(".git")
	}
	if before != nil {
		s.hookDirs, s.includes = before.hookDirs, before.includes
		for i, w := range walkers {
			w.again(before.roots[i])
		}
	}
	for _, w := range walkers {
		w.walk()
	}
	s.follow(walkers, before == nil)
	s.Incomplete = left.names <= 0
	return s
}

// A budget is what one look may still read: any other bound is a way for a command to blind it, or to fill our memory.
type budget struct{ names, bytes int }

// A walker goes through one root; root is nil when there is none.
type walker struct {
	snapshot *Snapshot
	root     *os.Root
	tree     *tree
	left     *budget
}

// again looks at what a former look found, where no part of the path has become a link.
func (w *walker) again(before *tree) {
	if w.root == nil {
		return
	}
	dirs := make([]string, 0, len(before.repos))
	for dir := range before.repos {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		if _, done := w.tree.repos[dir]; done || !w.plain(path.Dir(dir)) {
			continue
		}
		if path.Base(dir) == ".git" {
			w.git(dir)
		} else if _, err := w.root.Lstat(path.Join(dir, "HEAD")); err == nil && w.plain(dir) {
			w.repo(dir)
		}
	}
}

// plain reports whether dir is there and no part of it is a link.
func (w *walker) plain(dir string) bool {
	name := filepath.Join(w.tree.real, dir)
	real, err := filepath.EvalSymlinks(name)
	return err == nil && real == name
}

// walk looks through the folders, breadth first. A folder that looks like a repository is a folder too: three empty names beside a
// repository would hide it otherwise. Its objects come last, because there are many and nobody works in them.
func (w *walker) walk() {
	queue, late := []string{"."}, []string(nil)
	for w.root != nil && w.left.names > 0 && len(queue)+len(late) > 0 {
		if len(queue) == 0 {
			queue, late = late, nil
		}
		dir := queue[0]
		queue = queue[1:]
		entries := w.list(dir)
		bare := looksBare(entries)
		if bare {
			w.repo(dir)
		}
		for _, e := range entries {
			full := path.Join(dir, e.Name())
			switch {
			case e.Name() == ".git":
				w.git(full)
			case !e.IsDir():
			case bare:
				late = append(late, full)
			default:
				queue = append(queue, full)
			}
		}
	}
}

// looksBare reports whether Git would take a folder with these names for a repository. A linked HEAD counts, as in Git.
func looksBare(entries []fs.DirEntry) bool {
	var head, objects, refs, common bool
	for _, e := range entries {
		switch e.Name() {
		case "HEAD":
			head = true
		case "objects":
			objects = true
		case "refs":
			refs = true
		case "commondir":
			common = true
		}
	}
	return head && (objects && refs || common)
}

// git looks at a name .git, which is a repository or points to one.
func (w *walker) git(name string) {
	if w.root == nil {
		return
	}
	if _, done := w.tree.repos[name]; done {
		return
	}
	st, err := w.root.Lstat(name)
	switch {
	case err != nil:
	case st.IsDir():
		w.repo(name)
	default:
		f := w.read(name, aGitfile)
		f.outside = !w.pointer(name, f)
		w.tree.repos[name] = repo{"": f}
	}
}

// repo reads the telling files of a folder of Git's, and of those inside it.
func (w *walker) repo(dir string) {
	if _, done := w.tree.repos[dir]; done {
		return
	}
	r := repo{}
	w.tree.repos[dir] = r
	for _, t := range telling {
		if f := w.read(path.Join(dir, t.name), t.role); f.mode != absent && !(t.role == aFolder && f.mode.IsDir()) {
			r[t.name] = f
		}
	}
	for _, e := range w.list(path.Join(dir, "hooks")) {
		if !strings.HasSuffix(e.Name(), ".sample") {
			r["hooks/"+e.Name()] = w.read(path.Join(dir, "hooks", e.Name()), aHook)
		}
	}
	for _, e := range w.list(path.Join(dir, "worktrees")) {
		if e.IsDir() {
			w.repo(path.Join(dir, "worktrees", e.Name()))
		}
	}
	w.modules(path.Join(dir, "modules"))
}

// modules finds the repositories of submodules; their names may have slashes.
func (w *walker) modules(dir string) {
	for _, e := range w.list(dir) {
		if !e.IsDir() {
			continue
		}
		sub := path.Join(dir, e.Name())
		if _, err := w.root.Lstat(path.Join(sub, "HEAD")); err == nil {
			w.repo(sub)
		} else {
			w.modules(sub)
		}
	}
}

// list returns the names in a folder that is no link, or nothing.
func (w *walker) list(dir string) []fs.DirEntry {
	if w.left.names <= 0 {
		return nil
	}
	// By name, because that is one call to the kernel where a Root makes one for each part; no part is a link, as each was listed as a folder.
	f, err := os.OpenFile(filepath.Join(w.tree.name, dir), os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(w.left.names)
	w.left.names -= len(entries)
	return entries
}
