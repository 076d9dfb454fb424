package eval

import "strings"

// A pattern whose matching options extend (dotglob) or that has a list in parentheses is not known
// as a word. Some of the names that it matches are known all the same, and those are effects too:
// what the option adds must not hide what the pattern would match without it.

// looselyMatched is a word that is not known but for such a pattern.
func (v value) looselyMatched(why string) value {
	if len(v) > 0 && v[0].kind == account {
		return unknown(why, File).maybeMany()
	}
	text := v.glob()
	parts := strings.Split(text, "/")
	for i, p := range parts {
		if strings.Contains(p, "(") {
			parts[i] = "*"
		}
	}
	return value{{kind: open, why: why, from: File, many: true, loose: strings.Join(parts, "/")}}
}

// loose is the pattern of a value that is not known but for it, "" of others.
func (v value) loose() string {
	var b strings.Builder
	has := false
	for _, p := range v {
		switch {
		case p.loose != "":
			b.WriteString(p.loose)
			has = true
		case p.kind == open, p.kind == account:
			return ""
		default:
			b.WriteString(value{p}.glob())
		}
	}
	if !has {
		return ""
	}
	return b.String()
}

// maxLoose bounds the components of a pattern that are looked at one by one.
const maxLoose = 2

// caseless is a pattern that matches what another one does without regard to case.
func caseless(text string) string {
	if strings.ContainsAny(text, `[\`) {
		return "*"
	}
	return strings.Map(func(r rune) rune {
		if r|0x20 >= 'a' && r|0x20 <= 'z' || r > 0x7f {
			return '?'
		}
		return r
	}, text)
}

// extended reports whether a pattern has one of the forms that extglob makes special.
func extended(v value) bool {
	for i, p := range v {
		for at := strings.IndexByte(p.text, '('); at >= 0 && p.kind == active; {
			if at > 0 && strings.IndexByte("?*+@!", p.text[at-1]) >= 0 || at == 0 && i > 0 {
				return true
			}
			next := strings.IndexByte(p.text[at+1:], '(')
			if next < 0 {
				break
			}
			at += next + 1
		}
	}
	return false
}
