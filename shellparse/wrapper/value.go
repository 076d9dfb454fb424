package wrapper

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// value is a word without its quotes. A variable in it is kept as written, behind a mark. What only
// the shell can know becomes a mark alone, which no line of the table has.
func value(parts []syntax.WordPart) string {
	s := spelled(parts)
	if strings.Contains(s, unknown) {
		return unknown
	}
	return s
}

// splits reports whether a word has a variable outside of quotes.
func splits(parts []syntax.WordPart) bool {
	return slices.ContainsFunc(parts, func(part syntax.WordPart) bool {
		_, is := part.(*syntax.ParamExp)
		return is
	})
}

func spelled(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(bare(part.Value))
		case *syntax.SglQuoted:
			if part.Dollar {
				return unknown
			}
			b.WriteString(marked(part.Value))
		case *syntax.DblQuoted:
			if part.Dollar {
				return unknown
			}
			for _, inner := range part.Parts {
				switch inner := inner.(type) {
				case *syntax.Lit:
					b.WriteString(doubled(inner.Value))
				case *syntax.ParamExp:
					b.WriteString(variable(inner))
				default:
					return unknown
				}
			}
		case *syntax.ParamExp:
			b.WriteString(variable(part))
		default:
			return unknown
		}
	}
	return b.String()
}

// marked returns a text, or unknown if it contains a character that serves as a mark here.
func marked(s string) string {
	if strings.ContainsAny(s, expansion+unknown+between) {
		return unknown
	}
	return s
}

// isPlain reports whether every shell reads a character as itself anywhere in a word.
func isPlain(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' ||
		strings.IndexByte("_@%+:,./-=", c) >= 0
}

// bare is a text that is not quoted. What a shell could expand in it is not known.
func bare(s string) string {
	if s == "[" || s == "]" || s == "!=" {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			if i++; s[i] == '\n' {
				continue
			}
			if strings.IndexByte(expansion+unknown+between, s[i]) >= 0 {
				return unknown
			}
		case c < utf8.RuneSelf && !isPlain(c):
			return unknown
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// doubled is a text in double quotes, where a backslash is an ordinary character except before four
// characters and the end of a line.
func doubled(s string) string {
	if s = marked(s); !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// variable is a variable with at most a word for when it is not set.
func variable(p *syntax.ParamExp) string {
	if p.Param == nil || p.Flags != nil || p.Excl || p.Length || p.Width || p.IsSet ||
		p.NestedParam != nil || p.Index != nil ||
		len(p.Modifiers) > 0 || p.Slice != nil || p.Repl != nil || p.Names != 0 || p.Split != 0 ||
		p.GlobSubst != 0 || p.RcExpand != 0 {
		return unknown
	}
	if p.Exp == nil {
		return expansion + p.Param.Value
	}
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset,
		syntax.DefaultUnsetOrNull:
	default:
		return unknown
	}
	word := ""
	if p.Exp.Word != nil {
		if word = value(p.Exp.Word.Parts); strings.ContainsAny(word, expansion+unknown) {
			return unknown
		}
	}
	return expansion + "{" + p.Param.Value + p.Exp.Op.String() + word + "}"
}
