package wrapper

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A piece is one simple command of a text, or a list in brackets, without what does not matter.
type piece struct {
	// the words as the shell would see them, as far as the text decides it; an assignment is one
	words []string
	list  *list // when not nil: in place of words
	span        // its position
	top   span  // the statement of the text that it is a part of
	inner bool  // in a condition, or behind one
	null  bool  // it reads /dev/null
	muted bool  // its output is not seen
	split bool  // it has a variable without quotes, of which the shell may make several words
	under *branch
	own   string

	mark, kept string // the names in a line that keeps variables
}

// A branch is the part of an if that contains a piece.
type branch struct {
	test string // the simple command that is its condition, "" for any other
	then bool
	up   *branch
}

type span struct{ start, end int }

// A list is the content of ( ) or { }.
type list struct {
	open  string
	stmts []*syntax.Stmt
	text  string // of all
	inner span   // between the brackets
}

// These mark what the text alone does not decide; a text that contains one of them is not a
// wrapper.
const (
	expansion = "\x02" // before the name of a variable
	unknown   = "\x03" // for anything else
	between   = "\x1f" // words
)

// A flattener brings a tree into pieces.
type flattener struct {
	text   string
	pieces []piece
	top    span
	inner  bool
	under  *branch
}

// flatten returns the pieces in their order. A statement with a construct that no wrapper has is
// one piece that is in no table.
func flatten(file *syntax.File, text string) []piece {
	f := flattener{text: text}
	for _, st := range file.Stmts {
		before := len(f.pieces)
		if f.top = f.of(st); !f.stmt(st) {
			f.pieces = append(f.pieces[:before],
				piece{words: []string{unknown}, top: f.top, span: f.top})
		}
	}
	return f.pieces
}

func (f *flattener) of(n syntax.Node) span {
	return span{int(n.Pos().Offset()), int(n.End().Offset())}
}

func (f *flattener) stmts(list []*syntax.Stmt) bool {
	return !slices.ContainsFunc(list, func(st *syntax.Stmt) bool { return !f.stmt(st) })
}

func (f *flattener) stmt(st *syntax.Stmt) bool {
	if st.Background || st.Coprocess || st.Negated || st.Disown {
		return false
	}
	p := piece{span: f.of(st), top: f.top, inner: f.inner, under: f.under}
	if !p.redirections(st.Redirs) {
		return false
	}
	switch c := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		return (c.Op == syntax.AndStmt || c.Op == syntax.OrStmt) && len(st.Redirs) == 0 &&
			f.stmt(c.X) && f.stmt(c.Y)
	case *syntax.IfClause:
		return p.plain() && f.condition(c)
	case *syntax.CallExpr:
		return f.call(p, c)
	case *syntax.DeclClause:
		return f.export(p, c)
	case *syntax.Block:
		return p.plain() && f.block(p, c)
	case *syntax.Subshell:
		p.list = &list{"(", c.Stmts, f.text,
			span{int(c.Lparen.Offset()) + 1, int(c.Rparen.Offset())}}
		return p.plain() && !p.muted && f.add(p)
	}
	return false
}

func (f *flattener) add(p piece) bool {
	f.pieces = append(f.pieces, p)
	return true
}

// plain reports whether no redirection has a name of its own.
func (p *piece) plain() bool { return len(p.words) == 0 }

// block is taken apart, unless something in it is more than a wrapper has: then it may be what
// carries the command.
func (f *flattener) block(p piece, c *syntax.Block) bool {
	before := len(f.pieces)
	if f.stmts(c.Stmts) && !f.lists(before) {
		return true
	}
	f.pieces = f.pieces[:before]
	p.list = &list{"{", c.Stmts, f.text, span{int(c.Lbrace.Offset()) + 1, int(c.Rbrace.Offset())}}
	return !p.muted && f.add(p)
}

func (f *flattener) lists(from int) bool {
	for i := range f.pieces[from:] {
		if f.pieces[from+i].list != nil {
			return true
		}
	}
	return false
}

func (f *flattener) condition(c *syntax.IfClause) bool {
	was, up, before := f.inner, f.under, len(f.pieces)
	f.inner = true
	defer func() { f.inner, f.under = was, up }()
	if !f.stmts(c.Cond) {
		return false
	}
	test := ""
	if len(f.pieces) == before+1 {
		test = strings.Join(f.pieces[before].words, between)
	}
	f.under = &branch{test, true, up}
	if !f.stmts(c.Then) {
		return false
	}
	f.under = &branch{test, false, up}
	return c.Else == nil || f.condition(c.Else)
}

func (f *flattener) call(p piece, c *syntax.CallExpr) bool {
	switch {
	case len(c.Args) == 0 && len(c.Assigns) == 1 && p.plain():
		word, ok := assignment(c.Assigns[0])
		p.words = []string{word}
		return ok && f.add(p)
	case len(c.Args) == 0 || len(c.Assigns) > 0:
		return false
	}
	words := make([]string, 0, len(c.Args)+len(p.words))
	for _, w := range c.Args {
		words = append(words, value(w.Parts))
		p.split = p.split || splits(w.Parts)
	}
	for len(words) > 1 && (words[0] == "builtin" || words[0] == "command") {
		words = words[1:]
	}
	p.words = append(words, p.words...)
	return f.add(p)
}

func (f *flattener) export(p piece, c *syntax.DeclClause) bool {
	if c.Variant.Value != "export" || !p.plain() {
		return false
	}
	p.words = []string{"export"}
	for _, a := range c.Args {
		word, ok := assignment(a)
		if !ok {
			return false
		}
		p.words = append(p.words, word)
	}
	return f.add(p)
}

// assignment is NAME=value, or NAME where nothing is assigned.
func assignment(a *syntax.Assign) (string, bool) {
	switch {
	case a.Name == nil || a.Append || a.Index != nil || a.Array != nil:
		return "", false
	case a.Naked:
		return a.Name.Value, true
	case a.Value == nil:
		return a.Name.Value + "=", true
	}
	return a.Name.Value + "=" + value(a.Value.Parts), true
}

// redirections takes down what a piece reads and where its output goes. What goes nowhere is left
// out; anything else is words, which a line of the table must have.
func (p *piece) redirections(list []*syntax.Redirect) bool {
	for _, r := range list {
		if r.Hdoc != nil || r.Word == nil || r.N != nil && strings.Trim(r.N.Value, "012") != "" {
			return false
		}
		to := value(r.Word.Parts)
		switch op := r.Op.String(); {
		case op == "<" && r.N == nil && to == "/dev/null":
			p.null = true
		case strings.HasPrefix(op, ">") && to == "/dev/null", op == "&>" && to == "/dev/null":
			p.muted = true
		case op == ">&" && (to == "1" || to == "2"):
			p.muted = true
		case (op == ">" || op == ">|") && r.N == nil:
			p.words = append(p.words, ">", to)
		default:
			return false
		}
	}
	return true
}
