package pathguard

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/pattern"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
)

// A tree holds the path rules of the configuration by component, so that asking about one
// path costs the depth of the path and not the number of rules. The zero tree is empty.
type tree struct {
	known bool     // the built-in names are asked too
	homes []string // what "~" means for them
	fixed node     // rules that start at the root
	loose node     // rules that start with **/: they match from any component on
	ids   map[walk.ID][]mark
}

type node struct {
	below    map[string]*node
	patterns []patternNode // components with * ? [ ]
	marks    []mark
	deep     markSet // every kind that is here or anywhere below
}

type patternNode struct {
	part pathname.Pattern
	node *node
}

// add puts a rule under a path: absolute, or starting with **/.
func (t *tree) add(path string, m mark) error {
	n := &t.fixed
	if rest, ok := strings.CutPrefix(path, "**/"); ok {
		n, path = &t.loose, rest
	}
	n.deep |= 1 << m.kind
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." {
			continue
		}
		next, err := n.child(part)
		if err != nil {
			return err
		}
		next.deep |= 1 << m.kind
		n = next
	}
	n.marks = append(n.marks, m)
	return nil
}

func (n *node) child(part string) (*node, error) {
	if !pattern.HasMeta(part, 0) {
		part = pathname.Unescape(part)
		if n.below == nil {
			n.below = map[string]*node{}
		}
		if n.below[part] == nil {
			n.below[part] = &node{}
		}
		return n.below[part], nil
	}
	for _, p := range n.patterns {
		if p.part.Text == part {
			return p.node, nil
		}
	}
	w, err := pathname.Compile(part)
	if err != nil {
		return nil, err
	}
	n.patterns = append(n.patterns, patternNode{w, &node{}})
	return n.patterns[len(n.patterns)-1].node, nil
}

// at calls visit for every mark on the path or above it.
func (t *tree) at(path string, visit func(mark)) {
	if t.known {
		builtinAt(path, t.homes, visit)
	}
	t.fixed.walk(path, visit)
	for rest, ok := path, true; ok; rest, ok = afterSlash(rest) {
		t.loose.walk(rest, visit)
	}
}

// byID calls visit for every mark on the inode: the same file by a hard link or a bind mount.
func (t *tree) byID(id walk.ID, visit func(mark)) {
	if id == (walk.ID{}) {
		return
	}
	for _, m := range t.ids[id] {
		visit(m)
	}
}

// afterSlash drops the first component.
func afterSlash(path string) (string, bool) {
	i := strings.IndexByte(path[min(1, len(path)):], '/')
	if i < 0 {
		return "", false
	}
	return path[i+1:], true
}

func (n *node) walk(path string, visit func(mark)) {
	for _, m := range n.marks {
		visit(m)
	}
	path = strings.TrimLeft(path, "/")
	if path == "" {
		return
	}
	part, rest, _ := strings.Cut(path, "/")
	if next := n.below[part]; next != nil {
		next.walk(rest, visit)
	}
	for _, p := range n.patterns {
		if p.part.Match(part) {
			p.node.walk(rest, visit)
		}
	}
}

// holds returns the kinds of marks below the path: an ancestor of a secret is not a secret, but
// taking all of it is more than a person would expect.
func (t *tree) holds(path string) markSet {
	var s markSet
	if t.known {
		s, _ = builtinBelow(path, t.homes, markRule)
	}
	t.fixed.holds(path, &s)
	return s
}

func (n *node) holds(path string, s *markSet) {
	path = strings.TrimLeft(path, "/")
	if path == "" {
		*s |= n.deep
		return
	}
	part, rest, _ := strings.Cut(path, "/")
	if next := n.below[part]; next != nil {
		next.holds(rest, s)
	}
	for _, p := range n.patterns {
		if p.part.Match(part) {
			p.node.holds(rest, s)
		}
	}
}

// each calls visit for every mark below a directory, with its path. A name that contains a pattern
// is visited as it is.
func (n *node) each(at, dir string, visit func(string, mark)) {
	dir = strings.TrimLeft(dir, "/")
	part, rest, _ := strings.Cut(dir, "/")
	if dir == "" && at != "" {
		for _, m := range n.marks {
			visit(at, m)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.below)) { // the same answer each time
		if dir == "" || name == part {
			n.below[name].each(at+"/"+name, rest, visit)
		}
	}
	for _, p := range n.patterns {
		if dir == "" || p.part.Match(part) {
			p.node.each(at+"/"+p.part.Text, rest, visit)
		}
	}
}

// under finds the first mark of a kind below the path, for messages.
func (t *tree) under(path string, k markKind) string {
	found := ""
	if t.known {
		_, found = builtinBelow(path, t.homes, k)
	}
	n := &t.fixed
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if part == "" {
			continue
		}
		if n = n.below[part]; n == nil {
			return found
		}
	}
	n.first(k, &found)
	return found
}

func (n *node) first(k markKind, found *string) {
	if !n.deep.has(k) || *found != "" && len(n.marks) == 0 && n.below == nil {
		return
	}
	for _, m := range n.marks {
		if m.kind == k && (*found == "" || m.path < *found) {
			*found = m.path
		}
	}
	for _, next := range n.below {
		next.first(k, found)
	}
	for _, p := range n.patterns {
		p.node.first(k, found)
	}
}

// matches calls visit for every mark that a pattern could reach when its directories cannot be
// listed: the pattern is compared with the rules instead of with the disk.
func (t *tree) matches(glob string, visit func(mark)) {
	parts := pathname.Split(glob)
	if t.known {
		builtinMatches(parts, t.homes, visit)
	}
	t.fixed.matches(parts, false, visit)
}

func (n *node) matches(parts []string, swept bool, visit func(mark)) {
	for _, m := range n.marks {
		m.swept = swept
		visit(m)
	}
	if len(parts) == 0 {
		return
	}
	part := parts[0]
	if !pattern.HasMeta(part, 0) {
		if next := n.below[pathname.Unescape(part)]; next != nil {
			next.matches(parts[1:], false, visit)
		}
		return
	}
	w, err := pathname.Compile(part)
	if err != nil {
		return
	}
	for name, next := range n.below {
		if w.Match(name) && (name[0] != '.' || part[0] == '.') {
			next.matches(parts[1:], pathname.IsBare(part), visit)
		}
	}
}
