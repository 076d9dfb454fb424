package gitmeta

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Kind is a way to have code run later.
type Kind string

// The kinds of change.
const (
	Hook    Kind = "hook"    // a program that git runs at certain moments
	Setting Kind = "setting" // a configuration by which git runs a program
	Pointer Kind = "pointer" // hooks or configuration are looked for somewhere else
	Removed Kind = "removed" // a repository is gone; it runs nothing, and nothing brings it back
)

// A Change is one thing that the command left behind.
type Change struct {
	Kind  Kind
	Path  string // absolute
	Name  string // of the hook or setting; "" when the file as a whole is meant
	Value string // of the setting or pointer

	tree int
	repo string
	file string
}

// String says what it is in a line.
func (c Change) String() string {
	switch c.Kind {
	case Hook:
		return fmt.Sprintf("%q is a hook that git would run", c.Path)
	case Setting:
		if c.Name == "" {
			return fmt.Sprintf("%q is no configuration that can be read", c.Path)
		}
		return fmt.Sprintf("%q sets %s to %q, which git would run or read", c.Path, c.Name, c.Value)
	case Pointer:
		return fmt.Sprintf("%q points git to %q", c.Path, c.Value)
	}
	return fmt.Sprintf("the repository %q is gone", c.Path)
}

// Changes looks again and returns what has come since that would run code, and which repositories are gone, sorted by path.
func (s *Snapshot) Changes() []Change {
	var roots []string
	for _, t := range s.roots {
		roots = append(roots, t.name)
	}
	now := Look(roots, s.most)
	s.Incomplete = s.Incomplete || now.Incomplete
	var list []Change
	for i, t := range now.roots {
		for dir, r := range t.repos {
			before := s.before(i, dir, r)
			add := func(kind Kind, name, setting, value string) {
				list = append(list, Change{kind, filepath.Join(t.name, dir, name), setting, value, i, dir, name})
			}
			for name, f := range r {
				if old, had := before[name]; had && old == f {
					continue
				}
				compare(dir, name, before, f, add)
			}
		}
		for dir := range s.roots[i].repos {
			if _, still := t.repos[dir]; !still && !s.inside(i, dir) {
				list = append(list, Change{Kind: Removed, Path: filepath.Join(t.name, dir), tree: i, repo: dir})
			}
		}
	}
	slices.SortFunc(list, func(a, b Change) int { return strings.Compare(a.Path+"\x00"+a.Name, b.Path+"\x00"+b.Name) })
	return list
}

// before returns what the repository was, or, when it is new, one that was just the same: it has been moved or copied.
func (s *Snapshot) before(i int, dir string, now repo) repo {
	if r, had := s.roots[i].repos[dir]; had {
		return r
	}
	for _, t := range s.roots {
		for _, r := range t.repos {
			if maps.Equal(r, now) {
				return r
			}
		}
	}
	return nil
}

// inside reports whether dir is a part of a repository and no whole one: of a worktree or submodule, or a pointer to one. Git removes those.
func (s *Snapshot) inside(i int, dir string) bool {
	if _, pointer := s.roots[i].repos[dir][""]; pointer {
		return true
	}
	for up := path.Dir(dir); up != "."; up = path.Dir(up) {
		if _, ok := s.roots[i].repos[up]; ok {
			return true
		}
	}
	return false
}

// compare reports what of one file that is new or another would run.
func compare(dir, name string, before repo, f file, add func(kind Kind, name, setting, value string)) {
	old, had := before[name]
	link := f.mode&os.ModeSymlink != 0
	switch {
	case strings.HasPrefix(name, "hooks/"):
		if link || f.executable() {
			add(Hook, name, path.Base(name), "")
		}
	case name == "hooks": // not a folder: a link to one
		add(Pointer, name, "", f.data)
	case name == "config" || name == "config.worktree":
		if link {
			add(Pointer, name, "", f.data)
			return
		}
		settings, err := parse([]byte(f.data))
		if err != nil || !f.mode.IsRegular() {
			add(Setting, name, "", "")
			return
		}
		for _, x := range fresh(settings, old.data) {
			add(Setting, name, x.String(), x.value)
		}
	case name == "commondir":
		// A worktree's folder says where the repository is that it lies in. Anywhere else the file is a way around all the others.
		target := strings.TrimRight(f.data, "\r\n")
		if path.Base(path.Dir(dir)) != "worktrees" || path.Join(dir, target) != path.Dir(path.Dir(dir)) || path.IsAbs(target) {
			add(Pointer, name, "", target)
		}
	case name == "" && (had || len(before) > 0 || link):
		add(Pointer, name, "", strings.TrimSpace(strings.TrimPrefix(f.data, "gitdir:")))
	}
}

// fresh returns the settings that run something and were not among those of the old text.
func fresh(now []setting, old string) (list []setting) {
	known := map[string]int{}
	if settings, err := parse([]byte(old)); err == nil {
		for _, s := range settings {
			known[s.String()+"="+s.value]++
		}
	}
	for _, s := range now {
		if id := s.String() + "=" + s.value; known[id] > 0 {
			known[id]--
		} else if runs(s) {
			list = append(list, s)
		}
	}
	return list
}

// ErrGone is returned by Undo for a repository that was removed.
var ErrGone = errors.New("what is gone cannot be brought back")

// Undo takes a change back: a hook or pointer becomes what it was, or goes; of a configuration only what runs something goes, and what it replaced
// comes back. Everything else in the file stays as the command left it.
func (s *Snapshot) Undo(c Change) error {
	if c.Kind == Removed {
		return fmt.Errorf("%q: %w", c.Path, ErrGone)
	}
	root, err := os.OpenRoot(s.roots[c.tree].name)
	if err != nil {
		return err
	}
	defer root.Close()
	name := path.Join(c.repo, c.file)
	old, had := s.roots[c.tree].repos[c.repo][c.file]
	if c.Kind == Setting && c.Name != "" {
		w := walker{root: root}
		return replace(root, name, file{mode: w.read(name).mode, data: cleaned(w.read(name).data, old.data)})
	}
	if !had {
		return root.RemoveAll(name)
	}
	return replace(root, name, old)
}

// cleaned returns a configuration without what it must not say.
func cleaned(now, old string) string {
	settings, err := parse([]byte(now))
	if err != nil {
		return old
	}
	out := fresh(settings, old)
	var in []setting
	if before, err := parse([]byte(old)); err == nil {
		in = fresh(before, now)
	}
	return string(without([]byte(now), out, in))
}

// replace puts f in the place of name: first away with what is there, which may be a link or a folder.
func replace(root *os.Root, name string, f file) error {
	if err := root.RemoveAll(name); err != nil {
		return err
	}
	if f.mode&os.ModeSymlink != 0 {
		return root.Symlink(f.data, name)
	}
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode.Perm())
	if err != nil {
		return err
	}
	_, err = out.WriteString(f.data)
	return errors.Join(err, out.Close())
}
