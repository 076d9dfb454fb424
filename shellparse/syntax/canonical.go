package syntax

import (
	"bytes"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Canonical prints the tree. The print is what must be executed, since it is a text
// whose reading is certain: it parses to the same tree, and none of the constructs are in
// it that bash reads differently. Comments are not printed, because nothing runs in them.
func Canonical(file *syntax.File, text string, marks []Mark, d Dialect) (string, *ParseError) {
	if err := Guard(file, text, marks, d); err != nil {
		return "", err
	}
	whole := Span{0, len(text)}
	if strings.Contains(text, "#") {
		syntax.Walk(file, uncomment)
	}
	printed, err := atItsLines(file, len(text)+len(text)/8+16)
	if err != nil {
		return "", &ParseError{Span: whole, Text: "it cannot be printed: " + err.Error()}
	}
	if readsAlike(printed, text) {
		return printed, nil
	}
	again, perr := Parse(printed, d)
	if perr != nil {
		return "", &ParseError{Span: whole, Text: "its print cannot be parsed: " + perr.Text}
	}
	var spaces []Mark
	if len(marks) > 0 {
		spaces, _ = Gate(printed)
	}
	if err := Guard(again, printed, spaces, d); err != nil {
		return "", &ParseError{Span: whole, Text: "in its print, " + err.Text}
	}
	if !bytes.Equal(fingerprint(file, len(text)), fingerprint(again, len(text))) {
		return "", &ParseError{Span: whole, Text: "its print reads differently"}
	}
	return printed, nil
}

// readsAlike reports whether a print is the text that it was made of, which needs no second
// reading. The newline that the print adds means something behind a backslash and in a
// here-document alone.
func readsAlike(printed, text string) bool {
	return strings.TrimSuffix(printed, "\n") == strings.TrimSuffix(text, "\n") &&
		!strings.HasSuffix(text, `\`) && !strings.Contains(text, "<<")
}

// uncomment takes the comments out of a tree.
func uncomment(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.File:
		n.Last = nil
	case *syntax.Stmt:
		n.Comments = nil
	case *syntax.Subshell:
		n.Last = nil
	case *syntax.Block:
		n.Last = nil
	case *syntax.IfClause:
		n.CondLast, n.ThenLast, n.Last = nil, nil, nil
	case *syntax.WhileClause:
		n.CondLast, n.DoLast = nil, nil
	case *syntax.ForClause:
		n.DoLast = nil
	case *syntax.CaseClause:
		n.Last = nil
	case *syntax.CaseItem:
		n.Comments, n.Last = nil, nil
	case *syntax.CmdSubst:
		n.Last = nil
	case *syntax.ProcSubst:
		n.Last = nil
	case *syntax.ArrayExpr:
		n.Last = nil
	case *syntax.ArrayElem:
		n.Comments = nil
	}
	return true
}

// fingerprint is a tree as bytes, without positions and without what only decides the
// looks of the text.
func fingerprint(file *syntax.File, size int) []byte {
	f := printer{buf: make([]byte, 0, 4*size+64)}
	syntax.Walk(file, f.visit)
	return f.buf
}

type printer struct {
	buf []byte
	lit bool // the last thing written is an open run of characters
}

func (f *printer) visit(n syntax.Node) bool {
	if n == nil {
		// Literals have no children, so a run of them ends only when something else does.
		if f.lit {
			f.lit = false
			return true
		}
		f.buf = append(f.buf, ')')
		return true
	}
	if lit, ok := n.(*syntax.Lit); ok {
		f.literal(lit)
		return true
	}
	f.lit = false
	switch n := n.(type) {
	case *syntax.Comment:
		return false
	case *syntax.Redirect:
		f.node(n)
		return !f.dashed(n)
	default:
		f.node(n)
	}
	return true
}

// dashed writes a redirection of the form <<-, whose tabs the print arranges anew. A body
// with continued lines keeps its tabs, because what is stripped then depends on the join.
func (f *printer) dashed(n *syntax.Redirect) bool {
	if n.Op != syntax.DashHdoc || n.Hdoc == nil {
		return false
	}
	before := false
	for _, p := range n.Hdoc.Parts {
		_, lit := p.(*syntax.Lit)
		if lit && before {
			return false
		}
		before = lit
	}
	if n.N != nil {
		syntax.Walk(n.N, f.visit)
	}
	syntax.Walk(n.Word, f.visit)
	for _, p := range Untabbed(n) {
		syntax.Walk(p, f.visit)
	}
	f.lit = false
	f.buf = append(f.buf, ')')
	return true
}

func (f *printer) literal(n *syntax.Lit) {
	// The parser cuts literals at continued lines; the run of characters is what counts.
	if len(f.buf) > 0 && f.buf[len(f.buf)-1] == 1 {
		f.buf = f.buf[:len(f.buf)-1]
	} else {
		f.buf = append(f.buf, 'L')
	}
	f.buf = append(append(f.buf, n.Value...), 1)
	f.lit = true
}

// node writes the kind of a node and what it holds beside its children.
func (f *printer) node(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Stmt:
		f.put("S", n.Negated, n.Background, n.Coprocess, n.Disown, len(n.Redirs))
	case *syntax.CallExpr:
		f.put("C", len(n.Assigns), len(n.Args))
	case *syntax.Word:
		f.put("W")
	case *syntax.Assign:
		f.put("A", n.Append, n.Naked, n.Name == nil, n.Index == nil, n.Value == nil, n.Array == nil)
	case *syntax.Redirect:
		f.put("R", int(n.Op), n.N == nil, n.Hdoc == nil)
	case *syntax.SglQuoted:
		f.put("'", n.Dollar, n.Value)
	case *syntax.DblQuoted:
		f.put("\"", n.Dollar, len(n.Parts) == 0)
	case *syntax.ParamExp:
		f.put("$", n.Excl, n.Length, n.Width, n.IsSet, int(n.Split), int(n.GlobSubst),
			int(n.RcExpand), int(n.Names),
			n.Flags == nil, n.Param == nil, n.NestedParam == nil, n.Index == nil, len(n.Modifiers),
			n.Slice == nil, n.Repl == nil, n.Exp == nil)
		f.inParam(n)
	case *syntax.CmdSubst:
		f.put("`", n.TempFile, n.ReplyVar)
	case *syntax.ArithmExp:
		f.put("+", n.Unsigned)
	case *syntax.BinaryCmd:
		f.put("|", int(n.Op))
	case *syntax.BinaryArithm:
		f.put("a", int(n.Op))
	case *syntax.UnaryArithm:
		f.put("u", int(n.Op), n.Post)
	case *syntax.BinaryTest:
		f.put("t", int(n.Op))
	case *syntax.UnaryTest:
		f.put("v", int(n.Op))
	case *syntax.ProcSubst:
		f.put("<", int(n.Op))
	case *syntax.ExtGlob:
		f.put("g", int(n.Op))
	case *syntax.CaseItem:
		f.put("i", f.ending(n), len(n.Patterns))
	default:
		f.compound(n)
	}
}

func (f *printer) compound(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.FuncDecl:
		f.put("F", n.Name == nil, len(n.Names))
	case *syntax.IfClause:
		f.put("I", len(n.Cond), len(n.Then), n.Else == nil)
	case *syntax.WhileClause:
		f.put("w", n.Until, len(n.Cond))
	case *syntax.ForClause:
		f.put("f", n.Select)
	case *syntax.WordIter:
		f.put("n", n.InPos.IsValid(), len(n.Items))
	case *syntax.CStyleLoop:
		f.put("c", n.Init == nil, n.Cond == nil, n.Post == nil)
	case *syntax.CaseClause:
		f.put("E", len(n.Items))
	case *syntax.TimeClause:
		f.put("T", n.PosixFormat, n.Stmt == nil)
	case *syntax.CoprocClause:
		f.put("o", n.Name == nil)
	case *syntax.ArrayElem:
		f.put("e", n.Index == nil, n.Value == nil)
	case *syntax.DeclClause:
		f.put("D", len(n.Args))
	case *syntax.LetClause:
		f.put("l", len(n.Exprs))
	default: // File, Block, Subshell, ArithmCmd, TestClause, ParenTest, ParenArithm, ArrayExpr, ...
		f.buf = fmt.Appendf(f.buf, "%T(", n)
	}
}

// ending is how a case item ends; the last one may leave out its ";;", which the print adds.
func (f *printer) ending(n *syntax.CaseItem) int {
	if n.Op == 0 {
		return int(syntax.Break)
	}
	return int(n.Op)
}

func (f *printer) inParam(n *syntax.ParamExp) {
	switch {
	case n.Exp != nil:
		f.put("x", int(n.Exp.Op), n.Exp.Word == nil)
	case n.Repl != nil:
		f.put("r", n.Repl.All, n.Repl.Orig == nil, n.Repl.With == nil)
	case n.Slice != nil:
		f.put("s", n.Slice.Offset == nil, n.Slice.Length == nil)
	}
}

// put writes a kind and its fields.
func (f *printer) put(kind string, fields ...any) {
	f.buf = append(f.buf, kind...)
	for _, x := range fields {
		switch x := x.(type) {
		case bool:
			f.buf = append(f.buf, '0')
			if x {
				f.buf[len(f.buf)-1] = '1'
			}
		case int:
			f.buf = append(f.buf, byte('0'+x&63), byte('0'+x>>6&63))
		case string:
			f.buf = append(f.buf, x...)
			f.buf = append(f.buf, 0)
		}
	}
	f.buf = append(f.buf, '(')
}
