package shellparse

import "strings"

// A pattern that matches in a way of its own, with dotglob or with a list in parentheses, is not
// known as a word. Of its names some are known all the same, and those are effects too: what
// the option adds must not hide what the pattern would match without it.

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

// looser are the patterns that together match what a loose one does: a component that starts
// with a wildcard may match a leading dot.
func (w *walker) looser(text string) []string {
	if text == "" {
		return nil
	}
	parts := strings.Split(text, "/")
	var wild []int
	for i, p := range parts {
		if w.anycase && strings.ContainsAny(p, "*?[") {
			parts[i] = caseless(p)
		}
		if p != "" && strings.IndexByte("*?[", p[0]) >= 0 {
			wild = append(wild, i)
		}
	}
	all := []string{strings.Join(parts, "/")}
	for choice := 1; choice < 1<<min(len(wild), maxLoose); choice++ {
		dotted := append([]string(nil), parts...)
		for k, i := range wild {
			if choice&(1<<min(k, maxLoose-1)) != 0 {
				dotted[i] = ".*"
			}
		}
		all = append(all, strings.Join(dotted, "/"))
	}
	return all
}

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
