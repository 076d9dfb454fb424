package gitmeta

import (
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Most is a bound for Look that covers nearly every work tree and takes some tens of milliseconds.
const Most = 50000

// Look looks at every repository at or below roots, which are directories. It reads at most most
// names: the roots' own repositories first, then the roots in their order, near names first.
func Look(roots []string, most int) *Snapshot { return look(roots, most, nil) }

// look looks again when before is not nil: first at what was there then, so that nothing that has
// come since can use up the bound.
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

// walk searches the folders, breadth first. A folder that looks like a repository is a folder too:
// otherwise three empty names beside a repository would hide it. Its objects come last, because
// there are many and no one works in them.
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
