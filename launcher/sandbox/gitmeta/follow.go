package gitmeta

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// maxInclude is how deep Git follows includes (MAX_INCLUDE_DEPTH in its config.c).
const maxInclude = 10

// follow examines what the repositories point to inside the roots: the folders that files .git
// name, and hooks and configurations elsewhere, found at the first look and examined again after
// it.
func (s *Snapshot) follow(walkers []*walker, first bool) {
	for _, l := range s.links {
		if w := walkers[l.target.tree]; w.root != nil && w.plain(l.target.name) {
			w.repo(l.target.name)
		}
	}
	if first {
		for i, t := range s.roots {
			for dir, r := range t.repos {
				for name, f := range r {
					if f.role == aConfig {
						s.configured(walkers, place{i, dir}, place{i, path.Join(dir, name)}, f,
							maxInclude)
					}
				}
			}
		}
	} else {
		for _, p := range s.includes {
			w := walkers[p.tree]
			if f := w.loose(p.name, aConfig); f.mode != absent {
				w.tree.loose[p.name] = f
			}
		}
	}
	for _, p := range s.hookDirs {
		walkers[p.tree].hooksIn(p.name)
	}
}

// loose reads a file that is no part of a repository, where no folder above it is a link.
func (w *walker) loose(name string, role role) file {
	if w.root == nil || !w.plain(path.Dir(name)) {
		return file{mode: absent}
	}
	return w.read(name, role)
}

// maxFollowed bounds what configurations can have us look at besides repositories.
const maxFollowed = 100

// configured notes the hooks and configurations that a configuration of a repository names.
func (s *Snapshot) configured(walkers []*walker, of, at place, f file, depth int) {
	dir := path.Dir(at.name)
	if f.link() {
		s.include(walkers, of, s.from(at.tree, dir, f.data), depth)
		return
	}
	settings, err := parse([]byte(f.data))
	if err != nil {
		return
	}
	for _, x := range settings {
		e := catalog.Git(x.String())
		switch {
		case e.Has("includes"):
			s.include(walkers, of, s.from(at.tree, dir, x.value), depth)
		case e.Has("hooks") && x.value != "":
			for _, top := range s.tops(of) {
				s.hooksAt(s.from(top.tree, top.name, x.value))
			}
		}
	}
}

// hooksAt notes a folder of hooks, unless it is a repository's own.
func (s *Snapshot) hooksAt(name string) {
	p, ok := s.locate(name)
	if !ok || len(s.hookDirs) == maxFollowed {
		return
	}
	if own := s.roots[p.tree].repos[path.Dir(p.name)]; own == nil || path.Base(p.name) != "hooks" {
		s.hookDirs = append(s.hookDirs, p)
	}
}

// include notes another configuration, whether it is there or not, and those that it names.
func (s *Snapshot) include(walkers []*walker, of place, name string, depth int) {
	if depth == 0 || len(s.includes) == maxFollowed {
		return
	}
	p, ok := s.locate(name)
	if !ok || slices.Contains(s.includes, p) {
		return
	}
	s.includes = append(s.includes, p)
	w := walkers[p.tree]
	if f := w.loose(p.name, aConfig); f.mode != absent {
		w.tree.loose[p.name] = f
		s.configured(walkers, of, p, f, depth-1)
	}
}

// tops are the folders in which the hooks of a repository are run: its work trees, or itself.
func (s *Snapshot) tops(of place) []place {
	list := []place{of}
	if path.Base(of.name) == ".git" {
		list[0].name = path.Dir(of.name)
	}
	for _, l := range s.links {
		if l.target == of || l.target.tree == of.tree &&
			strings.HasPrefix(l.target.name, of.name+"/worktrees/") {
			list = append(list, l.top)
		}
	}
	return list
}

// hookNames are the programs that git itself calls, from githooks(5). In a folder of the work tree
// other names are no hooks.
const hookNames = `
	applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout
	post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite
	sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change
`

// hooksIn reads the hooks in a folder that a configuration names.
func (w *walker) hooksIn(dir string) {
	if w.root == nil || !w.plain(dir) {
		return
	}
	for name := range strings.FieldsSeq(hookNames) {
		if f := w.read(path.Join(dir, name), aHook); f.mode != absent {
			w.tree.loose[path.Join(dir, name)] = f
		}
	}
}
