package pathguard

import (
	_ "embed"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/pattern"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// builtinText has the names of the tables, made of them ahead of time (make tables): a line for
// each, and an empty line behind each kind of builtinKinds. Behind them are the protected names,
// with a tab before their tools, before the agents that run them, and before the folder apart.
//
//go:embed builtin.names
var builtinText string

var builtinKinds = [...]markKind{markSecret, markPublic, markStartup, markCache, markCachedCode,
	markToolDir, markWorkspaceState}

// builtins are the built-in lists of names. They are compared with a path without an index: every
// command is a process, and comparing some hundred strings a few times costs less than building an
// index that is used once.
var builtins = sync.OnceValue(func() (b builtinNames) {
	line, rest := "", builtinText
	names := make([]string, 0, 768)
	for i, kind := range builtinKinds {
		from := len(names)
		for {
			if line, rest, _ = strings.Cut(rest, "\n"); line == "" {
				break
			}
			names = append(names, line)
		}
		b.lists[i] = builtinList{kind, names[from:len(names):len(names)], headsOf(names[from:])}
	}
	b.protected = make([]protectedName, 0, 160)
	for rest != "" {
		line, rest, _ = strings.Cut(rest, "\n")
		name, more, _ := strings.Cut(line, "\t")
		tools, more, _ := strings.Cut(more, "\t")
		only, apart, _ := strings.Cut(more, "\t")
		b.protected = append(b.protected, protectedName{name, tools, only, apart, headOf(name)})
	}
	return b
})

// named returns the names of a kind, which is one of builtinKinds.
func (b builtinNames) named(kind markKind) []string {
	for _, list := range b.lists {
		if list.kind == kind {
			return list.names
		}
	}
	panic("pathguard: no built-in list of this kind")
}

type builtinNames struct {
	lists     [len(builtinKinds)]builtinList
	protected []protectedName
}

type builtinList struct {
	kind  markKind
	names []string
	heads []head
}

// A head is compared with a path first: where a name begins, and its first byte there. Heads are
// stored side by side, because nearly no name needs a further look.
type head struct{ from, first byte }

// Where a name begins.
const (
	fromRoot = iota
	fromHome
	fromAny // from any component of the path
)

func headOf(name string) head {
	switch name[0] {
	case '/':
		return head{fromRoot, name[1]}
	case '~':
		return head{fromHome, name[2]}
	}
	return head{fromAny, name[3]}
}

func headsOf(names []string) []head {
	heads := make([]head, len(names))
	for i, name := range names {
		heads[i] = headOf(name)
	}
	return heads
}

// A protectedName is read-only except for its own tools: git writes .git.
// What is in the folder apart is not meant, but for the protected names in there.
type protectedName struct {
	name, tools, only, apart string
	head                     head
}

// Names that are built in hold no other pattern than "*": a test looks.

// A view is one path as the names see it: from the root, from each home, and from every
// directory on its way.
type view struct {
	path  string     // without its slash
	deep  []string   // from each of its components on
	below []string   // from each home that it is in
	first [3]byteSet // the first bytes of these, by where a name begins
}

// A byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

func viewOf(path string, homes []string) view {
	var v view
	for _, h := range homes {
		if pathname.Within(path, h) && len(path) > len(h)+1 {
			v.below = append(v.below, path[len(h)+1:])
			v.first[fromHome].add(path[len(h)+1])
		}
	}
	for i := range v.first {
		v.first[i].add('*')
	}
	v.path = strings.TrimPrefix(path, "/")
	v.deep = make([]string, 0, 16)
	for rest, more := v.path, true; more; _, rest, more = strings.Cut(rest, "/") {
		if rest != "" {
			v.deep = append(v.deep, rest)
			v.first[fromAny].add(rest[0])
		}
	}
	if v.path != "" {
		v.first[fromRoot].add(v.path[0])
	}
	return v
}

// builtinAt calls visit for every built-in name that is on the path or above it.
func builtinAt(path string, homes []string, visit func(mark)) {
	v := viewOf(path, homes)
	b := builtins()
	for i := range b.lists {
		b.lists[i].at(&v, visit)
	}
	if original, is := pathname.CopyOf(path); is { // as secret as that
		v := viewOf(original, homes)
		for i := range b.lists {
			if kind := b.lists[i].kind; kind == markSecret || kind == markPublic {
				b.lists[i].at(&v, visit)
			}
		}
	}
	for i := range b.protected {
		if n := &b.protected[i]; v.may(n.head) && v.under(n.name) && v.held(n) {
			visit(mark{kind: markProtected, path: n.name, tool: n.tools, only: n.only})
		}
	}
}

// at calls visit for every name of a list that is on the path or above it.
func (list *builtinList) at(v *view, visit func(mark)) {
	for i, h := range list.heads {
		if v.may(h) && v.under(list.names[i]) {
			visit(mark{kind: list.kind, path: list.names[i]})
		}
	}
}

// builtinPublic reports whether a path, or what it is a copy of, is among the secrets and is not
// one itself.
func builtinPublic(path string, homes []string) bool {
	if original, is := pathname.CopyOf(path); is && builtinPublic(original, homes) {
		return true
	}
	v := viewOf(path, homes)
	for _, name := range builtins().named(markPublic) {
		if v.may(headOf(name)) && v.under(name) {
			return true
		}
	}
	return false
}

// may reports whether a built-in name could cover the path. It has to be small enough to be
// inlined: it is asked of every name for every path.
func (v *view) may(h head) bool { return v.first[h.from].has(h.first) }

// under reports whether a built-in name covers the path.
func (v *view) under(name string) bool {
	switch name[0] {
	case '/':
		return pathname.Covers(name[1:], v.path)
	case '~':
		name = name[len("~/"):]
		for _, rest := range v.below {
			if begins(name, rest) && pathname.Covers(name, rest) {
				return true
			}
		}
		return false
	}
	name = name[len("**/"):]
	if ending := name[1:]; name[0] == '*' && strings.IndexByte(ending, '*') < 0 &&
		!strings.Contains(v.path, ending) {
		return false // most names for any depth are endings, and most paths have none of them
	}
	for _, rest := range v.deep {
		if begins(name, rest) && pathname.Covers(name, rest) {
			return true
		}
	}
	return false
}

// held reports whether a protected name covers the path somewhere else than in its folder apart.
func (v *view) held(n *protectedName) bool {
	if n.apart == "" {
		return true
	}
	name := n.name[len("**/"):]
	apart := name + "/" + n.apart
	for _, rest := range v.deep {
		if pathname.Covers(name, rest) && !pathname.Covers(apart, rest) {
			return true
		}
	}
	return false
}

// begins reports whether a name and a path could be the same, by the first byte of each.
func begins(name, path string) bool { return path[0] == name[0] || name[0] == '*' }

// builtinBelow returns the kinds of built-in names that are at the path or below it, and for
// one kind the first such name. Names at any depth are below everything and are not meant.
func builtinBelow(path string, homes []string, want markKind) (kinds markSet, first string) {
	note := func(kind markKind, name string) {
		kinds |= 1 << kind
		if kind == want && (first == "" || name < first) {
			first = name
		}
	}
	dir := strings.Trim(path, "/")
	var room [4]string
	below := room[:0] // the path from each home
	for _, h := range homes {
		switch {
		case pathname.Within(h, path):
			below = append(below, "")
		case pathname.Within(path, h):
			below = append(below, strings.Trim(path[len(h):], "/"))
		}
	}
	for _, list := range builtins().lists {
		for _, name := range list.names {
			switch name[0] {
			case '/':
				if reaches(name[1:], dir) {
					note(list.kind, name)
				}
			case '~':
				for _, dir := range below {
					if reaches(name[2:], dir) {
						note(list.kind, name)
					}
				}
			}
		}
	}
	return kinds, first
}

// reaches reports whether a name is the directory or is below it.
func reaches(name, dir string) bool {
	if dir != "" && (name == "" || !begins(name, dir)) {
		return false
	}
	for dir != "" {
		if name == "" {
			return false
		}
		var part, have string
		part, name, _ = strings.Cut(name, "/")
		have, dir, _ = strings.Cut(dir, "/")
		if part != have && !(strings.Contains(part, "*") &&
			pathname.Pattern{Text: part}.Match(have)) {
			return false
		}
	}
	return true
}

// builtinMatches calls visit for every built-in name that a pattern could reach, whatever is on the
// disk: the beginning of the pattern is compared with the name.
func builtinMatches(glob []string, homes []string, visit func(mark)) {
	parts := make([]globPart, len(glob))
	for i, text := range glob {
		parts[i] = newGlobPart(text)
	}
	var behind [4][]globPart
	below := behind[:0]
	for _, h := range homes {
		if n := strings.Count(h, "/"); n <= len(parts) && globReaches(parts[:n], h[1:]) {
			below = append(below, parts[n:])
		}
	}
	for _, list := range builtins().lists {
		for _, name := range list.names {
			hit, swept := false, true
			try := func(parts []globPart, name string) {
				if globReaches(parts, name) {
					hit, swept = true,
						swept && pathname.IsBare(parts[strings.Count(name, "/")].text)
				}
			}
			switch name[0] {
			case '/':
				try(parts, name[1:])
			case '~':
				for _, rest := range below {
					try(rest, name[2:])
				}
			}
			if hit {
				visit(mark{kind: list.kind, path: name, swept: swept})
			}
		}
	}
}

// globReaches reports whether the pattern can name the path or something below it.
func globReaches(parts []globPart, name string) bool {
	for name != "" {
		if len(parts) == 0 {
			return false
		}
		var part string
		part, name, _ = strings.Cut(name, "/")
		if !parts[0].match(part) {
			return false
		}
		parts = parts[1:]
	}
	return true
}

// A globPart is one component of a pattern, or of a plain path.
type globPart struct {
	text string
	wild pathname.Pattern
	meta bool
	bad  bool
}

func newGlobPart(text string) globPart {
	if !pattern.HasMeta(text, 0) {
		return globPart{text: pathname.Unescape(text)}
	}
	w, err := pathname.Compile(text)
	return globPart{text: text, wild: w, meta: true, bad: err != nil}
}

// match follows the shell: a dot at the beginning is only matched by a dot.
func (g globPart) match(name string) bool {
	if !g.meta {
		return g.text == name
	}
	return !g.bad && g.wild.Match(name) && (name[0] != '.' || g.text[0] == '.')
}
