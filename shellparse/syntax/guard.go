package syntax

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The parser and bash read some constructs differently, each of which hides a command from
// a reader of the tree. They are refused, in the text as given and in its print:
//
//	A  ls # note\⏎P          the comment ends at the newline and P runs
//	B  a=(1)# P              a=(1)# is a word and P runs
//	C  cat <<E⏎\⏎E⏎P⏎E       the continuation is joined first, the body ends and P runs
//	D  echo a ␍#; P          CR is an ordinary character (see gate)
//	E  "$\⏎(P)"              the continuation is joined first and P runs
//	F  time -- P             time takes the dashes and P runs
//	G  !(P)                  without extglob this negates a subshell, and P runs
//	H  coproc a=b P          the assignment belongs to P, which runs; likewise coproc 2>x P
//	I  "${x:-'$(P)'}"        between double quotes the single ones are letters, and P runs
//	J  rm {a[1]b[1]}>f       it is a word and rm removes it; rm {a[$n]}>f has no word
//	K  cat <<E⏎$(cat <<E⏎E⏎  the first E ends the outer body, whatever is open in it
//	L  a=([0]= x)            the element is empty, and x is the next one
//
// Others that the fuzzer against bash has found are described at their guards.
type guards struct {
	text     string
	brackets bool   // the shell may read $[ ] as arithmetic, and the parser does not
	spaces   []Mark // Unicode spaces and mute characters that no quotes have been seen around yet
	depth    int
	around   []around              // of each node on the way here
	bodies   map[*syntax.Word]bool // of the here-documents that have been met
	err      *ParseError
}

// Guard returns where bash, or the shell of the dialect, would read the text of the tree
// differently, nil when nowhere.
func Guard(file *syntax.File, text string, marks []Mark, d Dialect) *ParseError {
	g := &guards{text: text, brackets: d == Zsh || d == POSIX}
	for _, m := range marks {
		if m.Kind == "space" || m.Kind == "mute" {
			g.spaces = append(g.spaces, m)
		}
	}
	if i := strings.Index(text, "$\\\n"); i >= 0 {
		g.refuse(i, i+3, "a dollar sign before a continued line")
	}
	syntax.Walk(file, g.visit)
	if g.err == nil && len(g.spaces) > 0 {
		why := "a space that the shell takes for a letter"
		if g.spaces[0].Kind == "mute" {
			why = "a control character outside quotes"
		}
		g.err = &ParseError{Span: g.spaces[0].Span, Text: why}
	}
	return g.err
}

func (g *guards) refuse(start, end int, why string) {
	if g.err == nil {
		g.err = &ParseError{Span: Span{start, end}, Text: "bash could read this differently: " +
			why}
	}
}

func (g *guards) visit(n syntax.Node) bool {
	if n == nil {
		g.depth--
		g.around = g.around[:len(g.around)-1]
		return true
	}
	if g.depth >= MaxDepth {
		g.err = &ParseError{Span: Span{0, len(g.text)}, Text: errTooDeep.Error(), cause: errTooDeep}
	}
	if g.err != nil && g.err.cause != nil {
		return false
	}
	g.depth++
	g.enter(n)
	switch n := n.(type) {
	case *syntax.Comment:
		if strings.Contains(n.Text, "\n") || strings.HasSuffix(n.Text, `\`) {
			g.refuse(int(n.Pos().Offset()), int(n.End().Offset()),
				"a comment that ends in a backslash")
		}
		g.quoted(n)
	case *syntax.ArrayExpr:
		g.array(n)
	case *syntax.Redirect:
		if n.Hdoc != nil {
			if g.bodies == nil {
				g.bodies = map[*syntax.Word]bool{}
			}
			g.bodies[n.Hdoc] = true
		}
		g.hereDoc(n)
		g.descriptor(n)
	case *syntax.Word:
		g.maybeDescriptor(n)
	case *syntax.Lit:
		g.bracket(n)
	case *syntax.CallExpr:
		g.program(n)
	case *syntax.CoprocClause:
		g.coproc(n)
	case *syntax.DblQuoted, *syntax.SglQuoted:
		g.quoted(n)
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			g.let(x)
		}
	}
	return true
}

// enter notes what is around the children of n, and refuses n where it could be letters.
func (g *guards) enter(n syntax.Node) {
	now := bare
	if len(g.around) > 0 {
		now = g.around[len(g.around)-1]
	}
	word, isWord := n.(*syntax.Word)
	inside, doubtful := within(n, now, isWord && g.bodies[word])
	if doubtful {
		g.refuse(int(n.Pos().Offset()), int(n.End().Offset()), "single quotes in an expansion")
	}
	g.around = append(g.around, inside)
}

// bracket refuses $[ ] where the parser takes it for letters, and what compares in it for a
// redirection: in zsh and in bash in its POSIX mode it is arithmetic, quoted or not.
func (g *guards) bracket(n *syntax.Lit) {
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	if !g.brackets || start > end || end >= len(g.text) {
		return
	}
	for at := start; at < end; at++ {
		switch {
		case g.text[at] == '\\':
			at++
		case g.text[at] == '$' && g.text[at+1] == '[':
			g.err = &ParseError{Span: Span{at, at + 2},
				Text: "$[ ] is arithmetic in one shell and text in another; write $(( ))"}
			return
		}
	}
}

// let looks for the operators of arithmetic that are those of the shell outside quotes. The
// parser takes them for arithmetic; bash reads the words of let like those of any builtin, so
// that "let a<<E" begins a here-document and "let a|P" runs P.
func (g *guards) let(x syntax.ArithmExpr) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word:
			return false
		case *syntax.ParenArithm:
			g.refuse(int(n.Pos().Offset()), int(n.End().Offset()), "parentheses behind let")
		case *syntax.BinaryArithm:
			if at := int(n.OpPos.Offset()); strings.ContainsAny(n.Op.String(), "<>&|") {
				g.refuse(at, at+len(n.Op.String()), "an operator of the shell behind let")
			}
		}
		return true
	})
}

// descriptor accepts {name[subscript]}>file only with a subscript that both take for one.
func (g *guards) descriptor(n *syntax.Redirect) {
	if n.N == nil || !strings.HasPrefix(n.N.Value, "{") {
		return
	}
	_, sub, element := strings.Cut(strings.TrimSuffix(n.N.Value, "]}"), "[")
	if element && strings.Trim(sub, PlainBytes) != "" {
		g.refuse(int(n.Pos().Offset()), int(n.End().Offset()),
			"a subscript in front of a redirection")
	}
}

// maybeDescriptor refuses a word such as {name[$n]} right in front of a redirection.
func (g *guards) maybeDescriptor(n *syntax.Word) {
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	if end >= len(g.text) || start >= end || strings.IndexByte("<>", g.text[end]) < 0 ||
		g.text[end-1] != '}' || g.text[start] != '{' {
		return
	}
	name, _, element := strings.Cut(g.text[start+1:end], "[")
	if element && syntax.ValidName(name) {
		g.refuse(start, end, "a subscript in front of a redirection")
	}
}

// quoted takes the marks inside n off the list: there they are only data.
func (g *guards) quoted(n syntax.Node) {
	if len(g.spaces) == 0 {
		return
	}
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	rest := g.spaces[:0]
	for _, m := range g.spaces {
		if m.Span.Start < start || m.Span.End > end {
			rest = append(rest, m)
		}
	}
	g.spaces = rest
}

func (g *guards) array(n *syntax.ArrayExpr) {
	for _, e := range n.Elems {
		if e.Index == nil || e.Value == nil {
			continue
		}
		if at := int(e.Value.Pos().Offset()); at > 0 && at <= len(g.text) && g.text[at-1] != '=' {
			g.refuse(int(e.Pos().Offset()), at, "a blank behind the subscript of an element")
		}
	}
	at := int(n.Rparen.Offset()) + 1
	if at < len(g.text) && strings.IndexByte(" \t\n;&|)<>`}\\", g.text[at]) < 0 {
		g.refuse(at, at+1, "a character right after an array")
	}
}

func (g *guards) program(n *syntax.CallExpr) {
	if len(n.Args) == 0 || len(n.Args[0].Parts) == 0 {
		return
	}
	first := n.Args[0]
	start, end := int(first.Pos().Offset()), int(first.End().Offset())
	switch p := first.Parts[0].(type) {
	case *syntax.Lit:
		if strings.HasPrefix(p.Value, "-") {
			g.refuse(start, end, "a program whose name starts with a dash")
		}
		if assigns(p.Value) {
			g.refuse(start, end, "an assignment that is taken for a program")
		}
	case *syntax.ExtGlob:
		g.refuse(start, end, "a program named by a pattern with a parenthesis")
	}
}

// coproc accepts a simple command only when its first word is a plain one, since the parser
// takes that word off before it looks for assignments and redirections.
func (g *guards) coproc(n *syntax.CoprocClause) {
	call, ok := n.Stmt.Cmd.(*syntax.CallExpr)
	if !ok && n.Stmt.Cmd != nil {
		return
	}
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	if ok && len(call.Args) > 0 && len(call.Assigns) == 0 {
		first := call.Args[0]
		text, at := first.Lit(), int(first.End().Offset())
		blank := at >= len(g.text) || strings.IndexByte(" \t\n;&|)", g.text[at]) >= 0
		plain := text != "" && strings.Trim(text, PlainBytes) == "" &&
			strings.Trim(text, "0123456789") != ""
		if plain && blank && (len(n.Stmt.Redirs) == 0 ||
			n.Stmt.Redirs[0].Pos().After(first.Pos())) {
			return
		}
	}
	g.refuse(start, end, "a coprocess that starts with anything but a plain word")
}

// PlainBytes are the characters that mean themselves in a word.
const PlainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-"

// assigns reports whether a program's name would be an assignment where bash looks for one.
func assigns(name string) bool {
	name, _, found := strings.Cut(name, "=")
	name = strings.TrimSuffix(name, "+")
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i]
	}
	return found && syntax.ValidName(name)
}

// hereDoc refuses a body in which joining continued lines, as bash does before it looks
// for the end, makes or breaks the line that ends it.
func (g *guards) hereDoc(n *syntax.Redirect) {
	if n.Hdoc == nil {
		return
	}
	g.quoted(n.Hdoc)
	end, quoted := Delimiter(n.Word)
	if quoted {
		return
	}
	if n.Op == syntax.DashHdoc {
		g.tabs(n.Hdoc)
	}
	start, stop := int(n.Hdoc.Pos().Offset()), int(n.Hdoc.End().Offset())
	for start >= 2 && start <= len(g.text) && g.text[start-2:start] == "\\\n" {
		start -= 2 // the parser skips a continuation in front of the first character
	}
	if start >= stop || stop > len(g.text) {
		return
	}
	body := strings.TrimRight(strings.TrimSuffix(g.text[start:stop], end), "\t")
	for _, line := range strings.Split(strings.ReplaceAll(body, "\\\n", ""), "\n") {
		if line == end && line != "" || n.Op == syntax.DashHdoc &&
			strings.TrimLeft(line, "\t") == end {
			g.refuse(start, stop,
				"a continued line, or one of a document inside it, ends a here-document")
		}
	}
	if strings.HasSuffix(body, "\\\n") {
		g.refuse(start, stop, "the last line of a here-document is continued")
	}
}

// tabs refuses <<- with tabs at the front of a line inside quotes of a substitution: bash
// takes them off before it looks at the substitution, the parser keeps them.
func (g *guards) tabs(body *syntax.Word) {
	for _, p := range body.Parts {
		if _, ok := p.(*syntax.Lit); ok {
			continue
		}
		syntax.Walk(p, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.SglQuoted, *syntax.DblQuoted, *syntax.Lit:
				start, end := int(n.Pos().Offset()), int(n.End().Offset())
				if start < end && end <= len(g.text) &&
					strings.Contains(g.text[start:end], "\n\t") {
					g.refuse(start, end, "a tab at the front of a quoted line in a here-document")
				}
			}
			return true
		})
	}
}
