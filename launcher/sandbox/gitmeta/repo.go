package gitmeta

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// looksBare reports whether Git would take a folder with these names for a repository. A linked
// HEAD counts, as in Git.
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
		if f := w.read(path.Join(dir, t.name), t.role); f.mode != absent &&
			!(t.role == aFolder && f.mode.IsDir()) {
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
	// By name, because that is one call to the kernel where a Root makes one for each part; no part
	// is a link, as each was listed as a folder.
	f, err := os.OpenFile(filepath.Join(w.tree.name, dir),
		os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(w.left.names)
	w.left.names -= len(entries)
	return entries
}
