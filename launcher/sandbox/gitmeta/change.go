package gitmeta

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// A Kind is a way to have code run later.
type Kind string

// The kinds of change.
const (
	Hook    Kind = "hook"    // a program that git runs at certain moments
	Setting Kind = "setting" // a configuration by which git runs a program
	Pointer Kind = "pointer" // hooks, configuration or steps are looked for somewhere else
	// a command among the steps of a rebase, which git rebase --continue runs
	Step    Kind = "step"
	Removed Kind = "removed" // a repository is gone; it runs nothing, and nothing brings it back
)

// A Change is one thing that the command left behind.
type Change struct {
	Kind  Kind
	Path  string // absolute
	Name  string // of the hook or setting; "" when the file as a whole is meant
	Value string // of the setting or pointer; the commands of new steps, a line for each

	tree  int
	repo  string
	file  string
	loose bool // no part of a repository; repo is ""
}

// String says what it is in a line.
func (c Change) String() string {
	switch c.Kind {
	case Hook:
		return fmt.Sprintf("%q is a hook that git would run", c.Path)
	case Setting:
		if c.Name == "" {
			return fmt.Sprintf("%q is not a readable configuration", c.Path)
		}
		return fmt.Sprintf("%q sets %s to %q, which git would run or read", c.Path, c.Name, c.Value)
	case Step:
		first, rest, more := strings.Cut(c.Value, "\n")
		others := ""
		if more {
			others = fmt.Sprintf(" and %d more", 1+strings.Count(rest, "\n"))
		}
		return fmt.Sprintf("%q says %q%s, which git rebase --continue would run", c.Path,
			"exec "+first, others)
	case Pointer:
		return fmt.Sprintf("%q points git to %q", c.Path, c.Value)
	}
	return fmt.Sprintf("the repository %q is gone", c.Path)
}

// maxSettings bounds what is reported about one file: taking back one takes back all, and a file of
// a megabyte can hold a hundred thousand.
const maxSettings = 20

// Changes looks again and returns what has come since that would run code, and which repositories
// are gone, sorted by path.
func (s *Snapshot) Changes() []Change {
	var roots []string
	for _, t := range s.roots {
		roots = append(roots, t.name)
	}
	now := look(roots, s.most, s)
	s.Incomplete = s.Incomplete || now.Incomplete
	var list []Change
	add := func(c Change) {
		c.Path = filepath.Join(s.roots[c.tree].name, c.repo, c.file)
		if !s.kept(c.Path) {
			list = append(list, c)
		}
	}
	for i, t := range now.roots {
		old := s.roots[i]
		for dir, r := range t.repos {
			before := s.before(i, dir, r)
			for name, f := range r {
				was, had := before[name]
				compare(dir, name, f, was, had, len(before) > 0, func(c Change) {
					c.tree, c.repo, c.file = i, dir, name
					add(c)
				})
			}
		}
		for name, f := range t.loose {
			was, had := old.loose[name]
			compare("", name, f, was, had, true, func(c Change) {
				c.tree, c.file, c.loose = i, name, true
				add(c)
			})
		}
		for dir := range old.repos {
			if _, still := t.repos[dir]; !still && !s.inside(i, dir) {
				add(Change{Kind: Removed, tree: i, repo: dir})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Change) int {
		return strings.Compare(a.Path+"\x00"+a.Name, b.Path+"\x00"+b.Name)
	})
	return list
}

// kept reports whether the command could not have changed a file.
func (s *Snapshot) kept(name string) bool {
	return slices.ContainsFunc(s.Kept,
		func(k string) bool { return name == k || strings.HasPrefix(name, k+"/") })
}

// before returns what the repository was, or, when it is new, one that was just the same: it has
// been moved or copied.
func (s *Snapshot) before(i int, dir string, now repo) repo {
	if r, had := s.roots[i].repos[dir]; had {
		return r
	}
	for _, t := range s.roots {
		for _, r := range t.repos {
			if maps.EqualFunc(r, now, same) {
				return r
			}
		}
	}
	return nil
}

// inside reports whether dir is a part of a repository and no whole one: of a worktree or
// submodule, or a pointer to one. Git removes those.
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

// compare reports what of one file of the repository dir, which is new or was old, would run. Known
// says that the repository is not new.
func compare(dir, name string, f, old file, had, known bool, add func(Change)) {
	if had && same(f, old) {
		return
	}
	switch f.role {
	case aHook:
		if f.link() || f.executable() && !(old.executable() && f.sameContent(old)) {
			add(Change{Kind: Hook, Name: path.Base(name)})
		}
	case aFolder: // not a folder: a link to one
		add(Change{Kind: Pointer, Value: f.data})
	case aTodo:
		compareTodo(f, old, add)
	case aStrategy:
		value, known := strings.TrimSpace(f.data), catalog.Git("options.strategy").Values("safe")
		if f.link() || !f.whole || !slices.Contains(known, value) {
			add(Change{Kind: Step, Value: "git merge-" + value})
		}
	case aConfig:
		compareConfig(dir, f, old, add)
	case aCommon:
		// A worktree's folder names the repository that contains it. Anywhere else the file is a
		// way around all the others.
		target := strings.TrimRight(f.data, "\r\n")
		if path.Base(path.Dir(dir)) != "worktrees" ||
			path.Join(dir, target) != path.Dir(path.Dir(dir)) || path.IsAbs(target) {
			add(Change{Kind: Pointer, Value: target})
		}
	case aGitfile:
		if had || known || f.link() || f.outside {
			add(Change{Kind: Pointer,
				Value: strings.TrimSpace(strings.TrimPrefix(f.data, "gitdir:"))})
		}
	}
}

// compareConfig reports the settings that run something, or that the file cannot be read. One that
// could not be read before either runs nothing: git stops at it.
func compareConfig(dir string, f, old file, add func(Change)) {
	if f.link() {
		add(Change{Kind: Pointer, Value: f.data})
		return
	}
	if !f.mode.IsRegular() || !f.whole {
		add(Change{Kind: Setting})
		return
	}
	settings, err := parse([]byte(f.data))
	if err != nil {
		if _, was := parse([]byte(old.data)); was == nil {
			add(Change{Kind: Setting})
		}
		return
	}
	list := fresh(dir, settings, old.data)
	for _, x := range list[:min(len(list), maxSettings)] {
		add(Change{Kind: Setting, Name: x.String(), Value: x.value})
	}
}

// fresh returns the settings that run something and were not among those of the old text.
func fresh(dir string, now []setting, old string) (list []setting) {
	known := map[string]int{}
	if settings, err := parse([]byte(old)); err == nil {
		for _, s := range settings {
			known[s.String()+"="+s.value]++
		}
	}
	for _, s := range now {
		if id := s.String() + "=" + s.value; known[id] > 0 {
			known[id]--
		} else if runs(dir, s) {
			list = append(list, s)
		}
	}
	return list
}

// compareTodo reports the commands among the steps of a rebase that were not there before. A list
// that cannot be read counts as one.
func compareTodo(f, old file, add func(Change)) {
	switch {
	case f.link():
		add(Change{Kind: Pointer, Value: f.data})
	case !f.mode.IsRegular() || !f.whole:
		add(Change{Kind: Step})
	default:
		if steps, _ := newSteps(f.data, old.data); len(steps) > 0 {
			add(Change{Kind: Step, Value: strings.Join(steps, "\n")})
		}
	}
}

// newSteps returns the commands in a list of steps that were not in the old one, and the list
// without them.
func newSteps(todo, old string) (steps []string, without string) {
	known := map[string]int{}
	for line := range strings.Lines(old) {
		if step, ok := command(line); ok {
			known[step]++
		}
	}
	var rest strings.Builder
	for line := range strings.Lines(todo) {
		step, ok := command(line)
		if ok {
			known[step]--
		}
		if ok && known[step] < 0 {
			steps = append(steps, step)
		} else {
			rest.WriteString(line)
		}
	}
	return steps, rest.String()
}

// command is what a line in the list of steps executes: exec, or x, with a shell command behind it
// (git-rebase(1), Interactive Mode).
func command(line string) (step string, ok bool) {
	line = strings.Trim(line, " \t\r\n")
	word, rest := line, ""
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		word, rest = line[:i], strings.Trim(line[i:], " \t")
	}
	return rest, word == "exec" || word == "x"
}
