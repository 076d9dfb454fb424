package eval

import "mvdan.cc/sh/v3/syntax"

// test evaluates [[ ... ]] for the effects of what is in it. Its numeric operators are
// arithmetic, which evaluates the values of names.
func (w *redirections) test(s *state, x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		w.single(s, x)
	case *syntax.ParenTest:
		w.test(s, x.X)
	case *syntax.UnaryTest:
		word, ok := x.X.(*syntax.Word)
		switch {
		case !ok:
			w.test(s, x.X)
		case x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar:
			w.nameArg(s, w.single(s, word), w.span(word))
		case x.Op == syntax.TsEmpStr || x.Op == syntax.TsNempStr || x.Op == syntax.TsOptSet ||
			x.Op == syntax.TsFdTerm || x.Op == syntax.TsNot:
			w.test(s, x.X)
		default:
			w.tested(s, w.single(s, word).quoted(), w.span(word))
		}
	case *syntax.BinaryTest:
		w.binaryTest(s, x)
	}
}

func (w *redirections) binaryTest(s *state, x *syntax.BinaryTest) {
	switch x.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLss, syntax.TsLeq, syntax.TsGtr, syntax.TsGeq:
		for _, side := range []syntax.TestExpr{x.X, x.Y} {
			if word, ok := side.(*syntax.Word); ok {
				w.operand(s, word)
			} else {
				w.test(s, side)
			}
		}
	case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
		for _, side := range []syntax.TestExpr{x.X, x.Y} {
			if word, ok := side.(*syntax.Word); ok {
				w.tested(s, w.single(s, word).quoted(), w.span(word))
			} else {
				w.test(s, side)
			}
		}
	default:
		w.test(s, x.X)
		w.test(s, x.Y)
	}
}
