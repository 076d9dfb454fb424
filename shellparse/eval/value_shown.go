package eval

import (
	"slices"
	"strings"
)

// word says what a field is to a reader: a text, a pattern, or a prefix and a reason.
func (v value) word() Word {
	if len(v) == 1 && v[0].kind == literal {
		return Word{Text: v[0].text, Static: true}
	}
	for i, p := range v {
		switch {
		case p.kind == number && i > 0:
			// Behind known characters a number decides neither an option nor a directory.
		case p.kind == account, p.kind == open, p.kind == number:
			return Word{Text: v[:i].display(), Why: p.reason()}
		}
	}
	if !v.patterned() {
		s, _ := v.text()
		return Word{Text: s, Static: true}
	}
	return Word{Text: v.glob(), Glob: true}
}

func (p part) reason() string {
	switch {
	case p.kind == account:
		return "the home directory of " + p.text + " is not known"
	case p.why == "":
		return "it is not known"
	}
	return p.why
}

// withoutDigits is a value of which nothing is known to be digits alone.
func (v value) withoutDigits() value {
	if !slices.ContainsFunc(v, func(p part) bool { return p.nums }) {
		return v
	}
	v = slices.Clone(v)
	for i := range v {
		v[i].nums = false
	}
	return v
}

// numbered is a value of which all but numbers is known, with a 1 in the place of each, if it says
// to sed(1) or awk(1) which lines are printed or deleted; else "". Of a number nothing is sure but
// that it has digits, on no line or several: behind other commands it could become a name or a
// delimiter, or end them.
func (v value) numbered() string {
	found := false
	var b strings.Builder
	for _, p := range v {
		switch {
		case p.kind == number || p.kind == open && p.nums:
			found = true
			b.WriteByte('1')
		case p.known():
			b.WriteString(p.text)
		default:
			return ""
		}
	}
	text, plain := b.String(), "0123456789,;{}+-~!$ pdq=NRF<>&()rint"
	if strings.HasPrefix(text, "BEGIN") { // it computes: no command of sed begins with a B
		text, plain = text[len("BEGIN"):], "0123456789{}+-*/% .,;()\"\\nprintfd"
	}
	if !found || strings.Trim(text, plain) != "" {
		return ""
	}
	return b.String()
}

// spaced are the characters of a program between which a number is a number.
const spaced = " (),+-*/%=<>[]:;'\"\n"

// counted is a value of which all but numbers is known, with a name that has no value in the place
// of each, and whether it has any. It has none where a number could be a part of a word, or of what
// a backslash makes.
func (v value) counted() (text string, ok bool) {
	var b strings.Builder
	for i, p := range v {
		switch {
		case p.kind == number, p.kind == open && p.nums:
			if b.Len() > 0 && strings.TrimRight(b.String(), spaced) == b.String() ||
				i+1 < len(v) && strings.TrimLeft(v[i+1].text, spaced) == v[i+1].text {
				return "", false
			}
			ok = true
			b.WriteString("__number")
		case !p.known() || strings.Contains(p.text, `\`):
			return "", false
		default:
			b.WriteString(p.text)
		}
	}
	return b.String(), ok
}
