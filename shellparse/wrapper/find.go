package wrapper

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// A Layer is a text with the agent's command in it.
type Layer struct {
	Client string // whose text it is; "tada-run" for a line that a hook of ours wrote
	Own    string // the agent's command
	Start  int    // where what carries it begins in the text, in bytes
	End    int
	Null   bool // the command reads /dev/null
	Idle   bool // no one writes to its standard input

	// statements that change nothing: they save variables and set them again
	Keeps [][2]int
	// the texts that matched the holes of the table, by name: snapshots, temporary files, folders
	// of PATH
	Names map[string][]string
}

// Find takes apart a text, whose tree is file. It returns false for a text that is not a wrapper;
// Keeps may be set even then, if the text begins like one. Its time is linear in the length of the
// text, and close to zero for a text that does not begin with words of the table.
func Find(file *syntax.File, text string) (Layer, bool) {
	if len(file.Stmts) == 0 || isWord(file) || !begins(file.Stmts[0], text) {
		return Layer{}, false
	}
	pieces := flatten(file, text)
	var begun Layer
	for _, c := range table() {
		layer, ok := c.read(pieces, text)
		if ok {
			return layer, true
		}
		if len(layer.Keeps) > 0 {
			begun.Keeps = layer.Keeps
		}
	}
	return begun, false
}

// isWord reports whether a text is one word, which carries and saves nothing: the table, read
// at the first question, is not needed for it.
func isWord(file *syntax.File) bool {
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	return ok && len(file.Stmts) == 1 && len(call.Args) == 1 && len(call.Assigns) == 0
}

// begins reports whether the first statement of a text is one of a program's.
func begins(st *syntax.Stmt, text string) bool {
	f := flattener{text: text}
	if !f.stmt(st) || len(f.pieces) == 0 {
		return false
	}
	return slices.ContainsFunc(table(), func(c *client) bool {
		return c.match(&f.pieces[0], map[string][]string{}) != none
	})
}

// Behind separates a line that runs a command from the second copy of the same command.
const Behind = "\nexit\n"

// read matches the pieces of a text with the lines of one program.
func (c *client) read(pieces []piece, text string) (Layer, bool) {
	l := Layer{Client: c.name, Idle: c.idle, Names: map[string][]string{}}
	if first := &pieces[0]; c.again && c.match(first, l.Names) == carries &&
		text[first.end:] == Behind+first.own {
		l.Own, l.Start, l.End, l.Null = first.own, first.start, len(text), first.null
		return l, true
	}
	l.Names = map[string][]string{}
	carried, whole := 0, true
	keep := keeping{mark: c.mark}
	for i := range pieces {
		p := &pieces[i]
		found := keep.check(p, c.match(p, l.Names))
		switch keep.add(p.top, found.isKeep()); {
		case i == 0 && found == none:
			return Layer{}, false
		case found == none, found == carries && p.inner:
			whole = false
		case found == carries:
			carried, l.Own, l.Start, l.End, l.Null = carried+1, p.own, p.start, p.end, p.null
		}
	}
	if l.Keeps = keep.all(); !keep.only[0] {
		l.Keeps = nil // it does not begin with saving anything
	}
	return l, whole && carried == 1 && l.Own != ""
}

// What a piece of a text is to a program.
type role int

const (
	none role = iota // not of this program
	stands
	flags    // a variable of its own says whether a kept one is set
	saves    // has its value
	tests    // one of them is looked at
	restores // the kept one gets its value again
	drops    // it is unset again
	forgets  // what was saved is unset
	carries
)

func (r role) isKeep() bool { return flags <= r && r <= forgets }

// match finds the line for a piece, and records the texts of its holes.
func (c *client) match(p *piece, names map[string][]string) role {
	if p.list != nil {
		own, ok := c.inside(p, names)
		if p.own = own; ok {
			return carries
		}
		return none
	}
	for _, key := range [...]string{p.words[0], ""} {
		for _, lines := range [...][]*line{c.lines[key], c.common[key]} {
			for _, l := range lines {
				if l.role == carries && p.muted {
					continue
				}
				if own, ok := l.take(p, names); ok {
					p.own = own
					return l.role
				}
			}
		}
	}
	return none
}
