package command

import (
	"slices"
	"strings"
)

// pathLetters spell what happens to a name; several letters are several things, so a moved
// file is RD.
var pathLetters = []struct {
	letter byte
	right  Right
	flags  Flags
}{
	{'R', Read, 0},
	{'N', Read, List},
	{'W', Write, 0},
	{'A', Write, Append},
	{'M', Write, Meta},
	{'C', Create, 0},
	{'L', Create, Link},
	{'D', Delete, 0},
	{'E', Exec, 0},
}

func isPath(name string) bool {
	letters := 0
	for _, l := range pathLetters {
		letters += strings.Count(name, string(l.letter))
	}
	return name != "" && letters == len(name)
}

// path touches one name in each way that the letters of the kind say.
func (m *matcher) path(r role, v value) {
	switch {
	case v.Static && v.Text == "":
		m.use.Nameless = append(m.use.Nameless, v.at)
		return
	case v.Static && v.Text == "-" && r.kind != "D":
		return
	}
	for i := range len(r.kind) {
		for _, l := range pathLetters {
			if l.letter == r.kind[i] {
				m.touch(l.right, l.flags|m.flagsFor(l.right, r), v, !slices.Contains(r.marks,
					"here"))
			}
		}
	}
}

// flagsFor returns the flags that options and marks put on a right. They come from options
// only for operands: `cp -r --suffix=x` says nothing of x.
func (m *matcher) flagsFor(right Right, r role) Flags {
	var f Flags
	if m.reading {
		f = m.flags
	}
	f |= flagsOf(r.marks)
	switch right {
	case Write:
		return f & (Recursive | Append | Meta | NoFollow)
	case Read:
		return f & (Recursive | List | NoFollow | Uses)
	case Create:
		return f & (Recursive | Link)
	case Delete:
		return f & Recursive
	}
	return 0
}

func (m *matcher) touch(right Right, flags Flags, v value, inDir bool) {
	if v.Below {
		flags |= Below
	}
	m.use.Touches = append(m.use.Touches, Touch{
		Right: right, Flags: flags, Arg: v.at, Text: v.Text,
		Static: v.Static || v.Below, Glob: v.Glob, Base: v.Base, InDir: inDir,
	})
}

func (m *matcher) opaque(v value, right Right, why string) {
	m.use.Opaque = append(m.use.Opaque, Opaque{Arg: v.at, Right: right, Why: why})
}

// longName is PATH_MAX of Linux: a longer name cannot be opened, so it need not be put
// together from a line of a million -C.
const longName = 4096
