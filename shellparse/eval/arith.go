package eval

import (
	"strconv"
	"strings"

	shsyntax "github.com/tada-run/tada-run/shellparse/syntax"
	"mvdan.cc/sh/v3/syntax"
)

// arithmetic returns the value of an expression: a number, known or not. What is in it
// is evaluated for its effects too: bash evaluates the values of names again, subscripts
// and their substitutions included, so a value can run a program.
func (w *parameters) arithmetic(s *state, x syntax.ArithmExpr) value {
	if x == nil {
		return known("0")
	}
	n, ok := w.number(s, x)
	if !ok {
		return value{{kind: number, why: "the result of arithmetic is not known"}}
	}
	return known(strconv.FormatInt(n, 10))
}

// number evaluates an expression as far as it is known.
func (w *parameters) number(s *state, x syntax.ArithmExpr) (int64, bool) {
	switch x := x.(type) {
	case nil:
		return 0, true
	case *syntax.Word:
		return w.operand(s, x)
	case *syntax.ParenArithm:
		return w.number(s, x.X)
	case *syntax.UnaryArithm:
		return w.unary(s, x)
	case *syntax.BinaryArithm:
		return w.binary(s, x)
	case *syntax.FlagsArithm:
		if x.X != nil {
			w.number(s, x.X)
		}
	}
	return 0, false
}

// operand is a literal number, a name, or text that expansions make.
func (w *parameters) operand(s *state, word *syntax.Word) (int64, bool) {
	if len(word.Parts) == 1 {
		if p, ok := word.Parts[0].(*syntax.ParamExp); ok && !p.Dollar.IsValid() {
			v, set := w.param(s, p)
			return w.evaluate(s, v, set, word)
		}
	}
	v := w.single(s, word)
	text, ok := v.text()
	if ok && strings.TrimSpace(text) == "" {
		w.mayFail(s, leaving)
		return 0, false // an operand is missing: often an error, and nothing is assigned
	}
	if !w.letting && hasSingleQuotes(word) {
		w.evaluate(s, v, true, word)
		w.mayFail(s, leaving)
		return 0, false // an error as well, but not in [[
	}
	if ok && syntax.ValidName(text) {
		x, set := w.lookup(s, text)
		if x.isList && len(x.list) > 0 {
			x.val = x.list[0]
		}
		return w.evaluate(s, x.val, set, word)
	}
	return w.evaluate(s, v, true, word)
}

// evaluate reads a value as a number.
func (w *parameters) evaluate(s *state, v value, set bool, at syntax.Node) (int64, bool) {
	text, ok := v.text()
	if !set && s.nounset {
		w.mayFail(s, exiting)
	}
	if !set || ok && strings.TrimSpace(text) == "" {
		return 0, true
	}
	if !ok {
		if from := v.from(); from == Network || from == Decoded {
			w.opaque(s, InCode, "arithmetic evaluates text that is not known", w.spanOf(at))
		}
		if !v.numeric() {
			w.anyName(s)
			w.mayFail(s, leaving)
		}
		return 0, false
	}
	if n, fine := integer(strings.TrimSpace(text)); fine {
		return n, true
	}
	return w.again(s, text)
}

// again evaluates the text of a value as an expression.
func (w *parameters) again(s *state, text string) (int64, bool) {
	if w.level == 0 {
		w.asked, w.read, w.named = 0, map[string]bool{}, map[string]bool{}
	}
	w.level++
	w.asked++
	defer func() { w.level-- }()
	w.second(s, text)
	w.read[text] = true
	if w.level < 8 && w.asked < maxAsked {
		if x := w.expression(text); x != nil {
			return w.number(s, x)
		}
	}
	w.beyond(s, text)
	w.mayFail(s, leaving)
	return 0, false
}

// expression parses the value of a name that arithmetic evaluates again.
func (w *parameters) expression(text string) syntax.ArithmExpr {
	if len(text) > 256 || strings.ContainsAny(text, "`$\\\"'\n") {
		return nil
	}
	f, err := shsyntax.Parse("(("+text+"))", Bash)
	if err != nil || len(f.Stmts) != 1 {
		return nil
	}
	if c, ok := f.Stmts[0].Cmd.(*syntax.ArithmCmd); ok {
		return c.X
	}
	return nil
}

func (w *parameters) unary(s *state, x *syntax.UnaryArithm) (int64, bool) {
	n, ok := w.number(s, x.X)
	switch x.Op {
	case syntax.Inc, syntax.Dec:
		old := n
		if x.Op == syntax.Inc {
			n++
		} else {
			n--
		}
		w.store(s, x.X, n, ok)
		if x.Post {
			return old, ok
		}
		return n, ok
	case syntax.Minus:
		return -n, ok
	case syntax.Plus:
		return n, ok
	case syntax.Not:
		return truth(n == 0), ok
	case syntax.BitNegation:
		return ^n, ok
	}
	return 0, false
}

// store assigns the result of arithmetic to the name on its left.
func (w *parameters) store(s *state, left syntax.ArithmExpr, n int64, ok bool) {
	name, index := stored(left)
	if !syntax.ValidName(name) {
		if w.o.Dialect == Zsh { // an element, whose subscript is text to the parser
			w.forget(s)
		}
		return
	}
	element := ""
	if index != nil {
		sub, _ := subscript(index)
		element = "[" + sub + "]"
		if w.o.Dialect == Zsh {
			w.uncertainly(s, "a subscript", func() { w.number(s, index) })
		}
	}
	val := known(strconv.FormatInt(n, 10))
	if !ok {
		val = value{{kind: number, why: "the result of arithmetic is not known"}}
	}
	_, had := w.lookup(s, name)
	w.assignTo(s, name+element, val)
	if v, ok := s.env.get(name); ok && !had && w.o.Dialect == Zsh {
		// zsh makes it a number for good
		v.integer = true
		w.put(s, name, v)
	}
}

func (w *parameters) binary(s *state, x *syntax.BinaryArithm) (int64, bool) {
	switch x.Op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn,
		syntax.RemAssgn, syntax.AndAssgn,
		syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		right, ok := w.number(s, x.Y)
		if x.Op != syntax.Assgn {
			left, ok2 := w.number(s, x.X)
			right, ok = compute(assigning(x.Op), left, right)
			ok = ok && ok2
		} else if word, isWord := x.X.(*syntax.Word); isWord {
			w.visitWord(s, word)
		}
		w.store(s, x.X, right, ok)
		return right, ok
	case syntax.TernQuest:
		cond, ok := w.number(s, x.X)
		both, isColon := x.Y.(*syntax.BinaryArithm)
		if !isColon {
			return 0, false
		}
		a, ok1 := w.perhaps(s, both.X, ok, cond != 0)
		b, ok2 := w.perhaps(s, both.Y, ok, cond == 0)
		if cond != 0 {
			return a, ok && ok1
		}
		return b, ok && ok2
	case syntax.AndArit, syntax.OrArit:
		a, ok := w.number(s, x.X)
		decides := ok && (a == 0) == (x.Op == syntax.AndArit)
		b, ok2 := w.perhaps(s, x.Y, ok, !decides)
		n, _ := compute(x.Op, a, b)
		return n, decides || ok && ok2
	}
	a, ok1 := w.number(s, x.X)
	b, ok2 := w.number(s, x.Y)
	n, ok := compute(x.Op, a, b)
	if divides := x.Op == syntax.Quo || x.Op == syntax.Rem; divides && (!ok2 || b == 0) ||
		!ok && !divides {
		w.mayFail(s, leaving) // by zero, or to the power of less than that
	}
	return n, ok && ok1 && ok2
}

// perhaps is number of what is evaluated only if that is so, where that is known.
func (w *parameters) perhaps(s *state, x syntax.ArithmExpr, known, so bool) (n int64, ok bool) {
	switch {
	case !known:
		w.uncertainly(s, "arithmetic", func() { n, ok = w.number(s, x) })
		return n, ok
	case so:
		return w.number(s, x)
	}
	return w.number(s.fork(), x)
}
