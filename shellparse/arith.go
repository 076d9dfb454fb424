package shellparse

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arithmetic returns the value of an expression: a number, known or not. What stands in it
// is evaluated for its effects too: bash evaluates the values of names again, subscripts
// and their substitutions included, so a value can run a program.
func (w *walker) arithmetic(s *state, x syntax.ArithmExpr) value {
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
func (w *walker) number(s *state, x syntax.ArithmExpr) (int64, bool) {
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
func (w *walker) operand(s *state, word *syntax.Word) (int64, bool) {
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
		x, set := w.deref(s, text)
		if x.isList && len(x.list) > 0 {
			x.val = x.list[0]
		}
		return w.evaluate(s, x.val, set, word)
	}
	return w.evaluate(s, v, true, word)
}

// hasSingleQuotes reports whether a word has single quotes. Arithmetic is as in double quotes, so
// they stay; those of let are gone before it sees them.
func hasSingleQuotes(word *syntax.Word) bool {
	return slices.ContainsFunc(word.Parts, func(p syntax.WordPart) bool {
		_, ok := p.(*syntax.SglQuoted)
		return ok
	})
}

// evaluate reads a value as a number.
func (w *walker) evaluate(s *state, v value, set bool, at syntax.Node) (int64, bool) {
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
			w.mayFail(s, leaving)
		}
		return 0, false
	}
	if n, fine := integer(strings.TrimSpace(text)); fine {
		return n, w.o.Dialect != Mksh || !octal(strings.TrimSpace(text))
	}
	w.second(s, text)
	if w.level++; w.level < 8 {
		defer func() { w.level-- }()
		if x := w.expression(text); x != nil {
			return w.number(s, x)
		}
	} else {
		w.level--
	}
	w.mayFail(s, leaving)
	return 0, false
}

// octal reports whether a number has the leading zero that makes it octal in bash and not in
// mksh.
func octal(text string) bool {
	return len(text) > 1 && text[0] == '0' && text[1]|0x20 != 'x'
}

// spanOf is span, or that of the current command when there is no node.
func (w *walker) spanOf(n syntax.Node) Span {
	switch {
	case n != nil:
		return w.span(n)
	case w.cmd >= 0 && w.cmd < len(w.out.Commands):
		return w.out.Commands[w.cmd].Span
	}
	return Span{0, len(w.out.Text)}
}

// expression parses the value of a name that arithmetic evaluates again.
func (w *walker) expression(text string) syntax.ArithmExpr {
	if len(text) > 256 || strings.ContainsAny(text, "`$\\\"'\n") {
		return nil
	}
	f, err := parse("(("+text+"))", Bash)
	if err != nil || len(f.Stmts) != 1 {
		return nil
	}
	if c, ok := f.Stmts[0].Cmd.(*syntax.ArithmCmd); ok {
		return c.X
	}
	return nil
}

// integer reads a number as bash does: 0x1f, 017, 36#zz.
func integer(text string) (int64, bool) {
	neg := strings.HasPrefix(text, "-")
	digits := strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+")
	base := 10
	if b, rest, ok := strings.Cut(digits, "#"); ok {
		n, err := strconv.Atoi(b)
		if err != nil || n < 2 || n > 36 {
			return 0, false
		}
		base, digits = n, rest
	} else if len(digits) > 1 && digits[0] == '0' {
		base, digits = 8, digits[1:]
		if digits[0]|0x20 == 'x' {
			base, digits = 16, digits[1:]
		}
	}
	if digits == "" || digits[0] == '-' || digits[0] == '+' || strings.ContainsRune(digits, '_') {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if err != nil {
		return 0, false
	}
	if neg {
		n = -n
	}
	return n, true
}

func (w *walker) unary(s *state, x *syntax.UnaryArithm) (int64, bool) {
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

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// store assigns the result of arithmetic to the name on its left.
func (w *walker) store(s *state, left syntax.ArithmExpr, n int64, ok bool) {
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
	if v, ok := s.env.get(name); ok && !had && w.o.Dialect == Zsh { // what arithmetic makes is a number for good there
		v.integer = true
		w.put(s, name, v)
	}
}

// stored are the name and the subscript on the left of an assignment; the name is "" where it is none.
func stored(left syntax.ArithmExpr) (name string, index syntax.ArithmExpr) {
	word, isWord := left.(*syntax.Word)
	if !isWord || len(word.Parts) != 1 {
		return "", nil
	}
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value, nil
	case *syntax.ParamExp:
		if p.Param != nil {
			return p.Param.Value, p.Index
		}
	}
	return "", nil
}

func (w *walker) binary(s *state, x *syntax.BinaryArithm) (int64, bool) {
	switch x.Op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn,
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
	if divides := x.Op == syntax.Quo || x.Op == syntax.Rem; divides && (!ok2 || b == 0) || !ok && !divides {
		w.mayFail(s, leaving) // by zero, or to the power of less than that
	}
	return n, ok && ok1 && ok2
}

// perhaps is number of what is evaluated only if that is so, where that is known.
func (w *walker) perhaps(s *state, x syntax.ArithmExpr, known, so bool) (n int64, ok bool) {
	switch {
	case !known:
		w.uncertainly(s, "arithmetic", func() { n, ok = w.number(s, x) })
		return n, ok
	case so:
		return w.number(s, x)
	}
	return w.number(w.fork(s), x)
}

// assigning returns the operator inside an assigning one.
func assigning(op syntax.BinAritOperator) syntax.BinAritOperator {
	switch op {
	case syntax.AddAssgn:
		return syntax.Add
	case syntax.SubAssgn:
		return syntax.Sub
	case syntax.MulAssgn:
		return syntax.Mul
	case syntax.QuoAssgn:
		return syntax.Quo
	case syntax.RemAssgn:
		return syntax.Rem
	case syntax.AndAssgn:
		return syntax.And
	case syntax.OrAssgn:
		return syntax.Or
	case syntax.XorAssgn:
		return syntax.Xor
	case syntax.ShlAssgn:
		return syntax.Shl
	}
	return syntax.Shr
}

func compute(op syntax.BinAritOperator, a, b int64) (int64, bool) {
	switch op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo, syntax.Rem:
		if b == 0 || b == -1 {
			return -a, b == -1 && op == syntax.Quo
		}
		if op == syntax.Quo {
			return a / b, true
		}
		return a % b, true
	case syntax.Shl, syntax.Shr:
		if b < 0 || b > 63 {
			return 0, false
		}
		if op == syntax.Shl {
			return a << uint(b), true
		}
		return a >> uint(b), true
	case syntax.Pow:
		return power(a, b)
	case syntax.Comma:
		return b, true
	}
	return compare(op, a, b)
}

func power(a, b int64) (int64, bool) {
	if b < 0 || b > 63 {
		return 0, false
	}
	n := int64(1)
	for range b {
		n *= a
	}
	return n, true
}

func compare(op syntax.BinAritOperator, a, b int64) (int64, bool) {
	switch op {
	case syntax.Eql:
		return truth(a == b), true
	case syntax.Neq:
		return truth(a != b), true
	case syntax.Gtr:
		return truth(a > b), true
	case syntax.Lss:
		return truth(a < b), true
	case syntax.Geq:
		return truth(a >= b), true
	case syntax.Leq:
		return truth(a <= b), true
	case syntax.And:
		return a & b, true
	case syntax.Or:
		return a | b, true
	case syntax.Xor:
		return a ^ b, true
	case syntax.AndArit:
		return truth(a != 0 && b != 0), true
	case syntax.OrArit:
		return truth(a != 0 || b != 0), true
	}
	return 0, false
}
