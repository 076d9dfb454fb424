package syntax

import (
	"reflect"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Canonical prints the tree. The print is what must be executed, because its reading is certain: it
// parses to the same tree, and contains none of the constructs that bash reads differently.
// Comments are not printed, because nothing in them runs.
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
	if !sameTree(file, again) {
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

// looks are fields that only decide the looks of the text. Comments are not in a print.
var looks = []string{"Backquotes", "Braces", "Bracket", "Comments", "CondLast", "DoLast", "Last",
	"Parens", "RsrvWord", "Short", "ThenLast"}

// A comparison compares two trees, ignoring positions and looks.
type comparison struct {
	fields map[reflect.Type][]int // those of a node that mean something
}

var (
	posType      = reflect.TypeFor[syntax.Pos]()
	partsType    = reflect.TypeFor[[]syntax.WordPart]()
	itemType     = reflect.TypeFor[syntax.CaseItem]()
	redirectType = reflect.TypeFor[syntax.Redirect]()
)

func sameTree(a, b *syntax.File) bool {
	c := comparison{map[reflect.Type][]int{}}
	return c.same(reflect.ValueOf(a), reflect.ValueOf(b))
}

func (c comparison) same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		a, b = a.Elem(), b.Elem()
		return a.Type() == b.Type() && c.same(a, b)
	case reflect.Slice:
		if a.Type() == partsType {
			a, b = runs(a), runs(b)
		}
		for i := range min(a.Len(), b.Len()) {
			if !c.same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	case reflect.Struct:
		return c.node(a, b)
	}
	return a.Equal(b)
}

func (c comparison) node(a, b reflect.Value) bool {
	switch a.Type() {
	case posType:
		return a.Interface().(syntax.Pos).IsValid() == b.Interface().(syntax.Pos).IsValid()
	case itemType:
		a, b = ended(a), ended(b)
	case redirectType:
		a, b = untabbed(a), untabbed(b)
	}
	return !slices.ContainsFunc(c.fieldsOf(a.Type()), func(i int) bool {
		return !c.same(a.Field(i), b.Field(i))
	})
}

// fieldsOf leaves out positions, but for two of which it means something that they are there.
func (c comparison) fieldsOf(t reflect.Type) []int {
	list, ok := c.fields[t]
	for i := 0; !ok && i < t.NumField(); i++ {
		f := t.Field(i)
		if (f.Type != posType || f.Name == "InPos" || f.Name == "Dollar") &&
			!slices.Contains(looks, f.Name) {
			list = append(list, i)
		}
	}
	c.fields[t] = list
	return list
}

// runs are the parts of a word in which characters that follow each other are one part: the parser
// cuts them at continued lines.
func runs(parts reflect.Value) reflect.Value {
	if parts.Len() < 2 {
		return parts
	}
	return reflect.ValueOf(joined(parts.Interface().([]syntax.WordPart)))
}

func joined(parts []syntax.WordPart) (out []syntax.WordPart) {
	for _, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if n := len(out); ok && n > 0 {
			if last, ok := out[n-1].(*syntax.Lit); ok {
				out[n-1] = &syntax.Lit{Value: last.Value + lit.Value}
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

// ended is a case item with its ending; the last one may leave out its ";;", which the print adds.
func ended(v reflect.Value) reflect.Value {
	item := v.Interface().(syntax.CaseItem)
	if item.Op == 0 {
		item.Op = syntax.Break
	}
	return reflect.ValueOf(item)
}

// untabbed is a redirection with the text that it reads. The print rearranges the tabs of the form
// <<-. A body with continued lines keeps its tabs, because what is stripped then depends on the
// join.
func untabbed(v reflect.Value) reflect.Value {
	r := v.Interface().(syntax.Redirect)
	if r.Op == syntax.DashHdoc && r.Hdoc != nil && len(joined(r.Hdoc.Parts)) == len(r.Hdoc.Parts) {
		r.Hdoc = &syntax.Word{Parts: Untabbed(&r)}
	}
	return reflect.ValueOf(r)
}
