package sandbox

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A beltTree is a name of the profile and the rules about it.
type beltTree struct {
	name  string
	rank  int // of two rules about one name, the one with the higher rank counts
	rules []string
}

const (
	reads  = "allow file-read* file-map-executable"
	writes = "allow file-read* file-write* file-map-executable"
	starts = "allow process-exec*"
	hides  = "deny file-read* file-write* file-map-executable process-exec*"
)

// trees adds the rules about what is allowed and hidden. What is deeper comes later, so that a tree
// in a hidden folder is allowed, and what is hidden in an allowed tree is not.
func (b *belt) trees(p Profile) {
	var list []beltTree
	add := func(paths []Path, rank int, rule string) {
		for _, path := range paths {
			rules := []string{rule}
			if rank > 0 && !path.NoExec && !p.OneProgram {
				rules = append(rules, starts)
			}
			list = append(list, beltTree{path.Name, rank, rules})
		}
	}
	add(p.List, 0, "")
	add(p.Read, 1, reads)
	add(p.Write, 2, writes)
	hidden := p.Hide
	if slices.ContainsFunc(slices.Concat(p.Read, p.Write),
		func(t Path) bool { return t.Name == "/" }) {
		hidden = append(slices.Clone(hidden), "/dev") // a tree above it stops there
	}
	for _, name := range hidden {
		list = append(list, beltTree{name, 3, []string{hides}})
	}
	slices.SortStableFunc(list, func(x, y beltTree) int {
		return cmp.Or(cmp.Compare(depth(x.name), depth(y.name)), cmp.Compare(x.rank, y.rank),
			cmp.Compare(x.name, y.name))
	})
	seen := map[string]bool{}
	for _, t := range list {
		switch t.rank {
		case 0:
			b.lists(t.name)
			continue
		case 3:
			clear(seen) // it may hide a folder above what comes later
		default:
			b.above(t.name, seen)
		}
		for _, rule := range t.rules {
			b.rule(rule, "subpath", t.name)
		}
	}
	for _, d := range p.Devices {
		b.rule("allow file-read* file-write-data file-ioctl", "literal", d.Name)
	}
}

// lists adds the rules about a tree whose names may be listed.
func (b *belt) lists(name string) {
	b.rule("allow file-read-metadata", "subpath", name)
	fmt.Fprintf(b, "(allow file-read* (require-all (subpath %s) (vnode-type DIRECTORY)))\n",
		b.quote(name))
}

// above lets a program look at the folders above a name, without which it cannot find where it is.
func (b *belt) above(name string, seen map[string]bool) {
	dir := filepath.Dir(name)
	for ; dir != "/" && dir != "." && !seen[dir]; dir = filepath.Dir(dir) {
		b.rule("allow file-read-metadata", "literal", dir)
		seen[dir] = true
	}
}

// kept adds the rules about what stays as it is. They come last: nothing allows it again. Neither
// a kept or hidden name nor a folder above it can be moved away from its rule, and no other name
// can be made for one, because nothing allows file-link and file-clone.
func (b *belt) kept(p Profile) {
	for _, name := range p.ReadOnly {
		b.rule("deny file-write*", "subpath", name)
	}
	for _, name := range slices.Concat(p.ReadOnly, p.Hide) {
		for ; name != "/" && name != "."; name = filepath.Dir(name) {
			if slices.ContainsFunc(p.Write, func(w Path) bool { return within(name, w.Name) }) {
				b.rule("deny file-write-unlink", "literal", name)
			}
		}
	}
}

func depth(name string) int {
	if name == "/" {
		return 0
	}
	return strings.Count(name, "/")
}
