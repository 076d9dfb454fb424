package eval

import (
	"slices"
	"strings"

	shsyntax "github.com/tada-run/tada-run/shellparse/syntax"
	"mvdan.cc/sh/v3/syntax"
)

// The expansions of this package are those of bash. In a text for another shell, anything that the
// shell reads differently is open rather than followed twice; this file lists those differences. A
// text for [POSIX] may be executed by dash or by bash in its POSIX mode, so where these two differ
// it is open as well, unless both are tried (settings.dash).

// odd reports whether the shell of the dialect reads a word differently from bash.
func (w *environment) odd(s *state, word *syntax.Word) bool {
	if w.o.Dialect == Bash || word == nil {
		return false
	}
	if w.o.Dialect == Zsh && plainBraces(word.Lit()) {
		return false
	}
	odd := w.o.Dialect != POSIX && bracesAndMore(word) || hasAll(word) ||
		w.o.Dialect == Zsh && modified(word.Parts)
	first := true // what comes before may be nothing
	for i, p := range word.Parts {
		lit, ok := p.(*syntax.Lit)
		if ok {
			last := i == len(word.Parts)-1
			odd = odd || w.oddText(lit.Value, i == 0, last, braced(word))
			if w.o.Dialect == Zsh && i > 0 { // where =ls is the path of ls
				odd = odd || mayBelong(lit.Value) || first && strings.HasPrefix(lit.Value, "=")
			}
			first = false
			continue
		}
		first = first && mayBeNothing(p)
		_, quoted := p.(*syntax.DblQuoted)
		syntax.Walk(p, func(n syntax.Node) bool {
			if w.o.Dialect != POSIX && w.alike(s, n, quoted) ||
				w.o.Dialect == Zsh && lastCount(word, p, n) {
				return false
			}
			odd = odd || w.oddPart(s, n)
			_, nested := n.(*syntax.CmdSubst)
			return !odd && !nested
		})
	}
	return odd
}

// oddInBody reports whether the shell of the dialect reads a part of a here-document differently
// from bash.
func (w *environment) oddInBody(s *state, p syntax.WordPart) bool {
	if w.o.Dialect == Bash {
		return false
	}
	odd := false
	syntax.Walk(p, func(n syntax.Node) bool {
		if w.o.Dialect != POSIX && w.alike(s, n, true) {
			return false
		}
		odd = odd || w.oddPart(s, n)
		_, nested := n.(*syntax.CmdSubst)
		return !odd && !nested
	})
	return odd
}

// braced reports whether a word has braces that hold a choice or a range: {} and @{0} are
// letters everywhere.
func braced(word *syntax.Word) bool {
	braces, choice := false, false
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			braces = braces || strings.ContainsAny(lit.Value, "{}")
			choice = choice || strings.Contains(lit.Value, ",") || strings.Contains(lit.Value, "..")
		}
	}
	return braces && choice
}

// modified reports whether a name without braces comes before a colon: zsh takes $x:h for the
// folder of $x, in quotes too.
func modified(parts []syntax.WordPart) bool {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.DblQuoted:
			if modified(p.Parts) {
				return true
			}
		case *syntax.Lit:
			if before, ok := parts[max(i-1, 0)].(*syntax.ParamExp); ok && before.Short &&
				strings.HasPrefix(p.Value, ":") {
				return true
			}
		}
	}
	return false
}

// mayBeNothing reports whether a part of a word can be without any character.
func mayBeNothing(p syntax.WordPart) bool {
	switch p := p.(type) {
	case *syntax.Lit:
		return p.Value == ""
	case *syntax.SglQuoted:
		return p.Value == ""
	case *syntax.DblQuoted:
		return !slices.ContainsFunc(p.Parts,
			func(q syntax.WordPart) bool { return !mayBeNothing(q) })
	}
	return true
}

// mayBelong reports whether zsh could take the front of text for a part of the name before
// it: $11 is the eleventh parameter there, and é a letter.
func mayBelong(text string) bool {
	return !shsyntax.ASCII(text) || text != "" && text[0] >= '0' && text[0] <= '9'
}

func (w *environment) oddText(text string, first, last, braces bool) bool {
	tilde := strings.IndexByte(text, '~')
	dollar := strings.ReplaceAll(text, `\$`, "")
	if last {
		dollar = strings.TrimSuffix(dollar, "$")
	}
	switch w.o.Dialect {
	case POSIX:
		stack := first && (strings.HasPrefix(text, "~+") || strings.HasPrefix(text, "~-"))
		return !w.dash && (braces || stack || strings.Contains(text, "=~") ||
			strings.HasSuffix(text, "$") && !last)
	case Zsh:
		return tilde >= 0 && (!first || text != "~" && !strings.HasPrefix(text, "~/") ||
			text == "~" && !last || strings.LastIndexByte(text, '~') > 0) ||
			first && strings.HasPrefix(text, "=") && (text != "=" || !last) ||
			braces && (strings.Contains(text, "..") || emptyChoice(text)) ||
			strings.Contains(dollar, "$") || strings.ContainsAny(text, "()|<>^#")
	}
	return true
}

// hasAll reports whether $@ is in a word, which every shell joins to its neighbours in
// its own way.
func hasAll(word *syntax.Word) bool {
	all, others := false, 0
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			all = all || isAt(n) || isStar(n)
			others++
			return n.Exp != nil
		case *syntax.Lit, *syntax.SglQuoted, *syntax.CmdSubst, *syntax.ArithmExp:
			others++
			return false
		}
		return true
	})
	return all && others > 1
}

// bracesAndMore reports whether a word has braces beside an expansion: other shells than
// bash expand them in another order.
func bracesAndMore(word *syntax.Word) bool {
	brace, more := false, false
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			brace = brace || strings.Contains(p.Value, "{")
		case *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			more = true
		}
	}
	return brace && more
}

// emptyChoice reports whether braces have a choice that is nothing, which bash drops.
func emptyChoice(text string) bool {
	return strings.Contains(text, "{,") || strings.Contains(text, ",,") ||
		strings.Contains(text, ",}")
}

func (w *environment) oddPart(s *state, n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.SglQuoted:
		return n.Dollar && !commonEscapes(n.Value)
	case *syntax.ParamExp:
		return n.Excl || w.o.Dialect == POSIX && tildeInside(n) ||
			n.Exp != nil && n.Exp.Op == syntax.OtherParamOps || n.Slice != nil || n.Repl != nil ||
			w.o.Dialect == Zsh && w.oddParam(s, n)
	case *syntax.ArithmExp:
		return w.o.Dialect == Zsh // 010 is ten there, unless an option says otherwise
	case *syntax.UnaryArithm:
		// two signs in dash
		return w.o.Dialect == POSIX && (n.Op == syntax.Inc || n.Op == syntax.Dec)
	}
	return false
}

// tildeInside reports whether the word of an expansion has a tilde and something to expand: where
// the word is not used, dash loses count of what ends it.
func tildeInside(p *syntax.ParamExp) bool {
	return p.Exp != nil && p.Exp.Word != nil && len(p.Exp.Word.Parts) > 1 && bareOf(p.Exp.Word, "~")
}

// oddParam lists the expansions that zsh makes other words of.
func (w *environment) oddParam(s *state, p *syntax.ParamExp) bool {
	if p.Exp != nil && p.Exp.Op >= syntax.RemSmallSuffix && p.Exp.Word != nil &&
		p.Exp.Word.Lit() == "" {
		return true // what an expansion gives is no pattern there
	}
	if p.Index != nil || p.Length || p.Param != nil && p.Param.Value == "#" {
		return true
	}
	if p.Exp == nil || p.Exp.Word == nil {
		return false
	}
	// A blank in front of what a command prints ends no word there.
	word := p.Exp.Word
	return w.odd(s, word) || strings.ContainsAny(word.Lit(), " \t\n") || bareOf(word, "{*?[") ||
		runsCommand(word)
}

// commonEscapes reports whether every escape of $'..' is one that all shells decode alike.
func commonEscapes(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 >= len(text) {
			continue
		}
		i++
		_, width, _ := escape(text[i:])
		switch c := text[i]; {
		case strings.IndexByte(`abfnrtv\'`, c) >= 0:
		case (c == 'x' && width == 3 || c >= '0' && c <= '7' && width == 3) &&
			text[i:i+width] != "x00" && text[i:i+width] != "000":
			i += width - 1
		default:
			return false
		}
	}
	return true
}
