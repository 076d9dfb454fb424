package command

import "strings"

// awkHeld is what the variables of an awk program hold, of those that get one text and no other.
type awkHeld map[string]string

// awkAssigned reads the assignments of a program, and those that -v makes before it runs.
func (m *matcher) awkAssigned(tokens []awkToken) awkHeld {
	held, other := awkHeld{}, map[string]bool{}
	put := func(name, text string, ok bool) {
		if old, twice := held[name]; !ok || twice && old != text {
			other[name] = true
		}
		held[name] = text
	}
	for _, g := range m.seen {
		if name, text, ok := strings.Cut(g.v.Text, "="); ok && g.has("-v") && g.v.Static {
			put(name, text, true)
		}
	}
	for i, t := range tokens {
		if i+1 < len(tokens) && !t.string && t.text != "" && wordByte(t.text[0]) &&
			tokens[i+1].is("=") {
			text, rest, ok := held.text(tokens[i+2:])
			put(t.text, text, ok && ends(rest))
		}
	}
	for name := range other {
		delete(held, name)
	}
	return held
}

// text evaluates literals, sprintf of literals and the values of variables, which are written side
// by side to make one text. The rest begins with the first token that is none of these.
func (held awkHeld) text(tokens []awkToken) (text string, rest []awkToken, ok bool) {
	var b strings.Builder
	for len(tokens) > 0 {
		t := tokens[0]
		value, known := held[t.text]
		switch {
		case t.string:
			b.WriteString(t.text)
			tokens = tokens[1:]
		case t.is("sprintf"):
			value, rest, known := held.sprintf(tokens[1:])
			if !known {
				return "", tokens, false
			}
			b.WriteString(value)
			tokens = rest
		case known:
			b.WriteString(value)
			tokens = tokens[1:]
		default:
			return b.String(), tokens, ok
		}
		if ok = true; b.Len() > longName {
			return "", tokens, false
		}
	}
	return b.String(), tokens, ok
}

// sprintf reads (FORMAT, TEXT...), of which every directive is %s.
func (held awkHeld) sprintf(tokens []awkToken) (text string, rest []awkToken, ok bool) {
	if len(tokens) == 0 || !tokens[0].is("(") {
		return "", tokens, false
	}
	format, tokens, ok := held.text(tokens[1:])
	for ok && len(tokens) > 0 && tokens[0].is(",") {
		var arg string
		if arg, tokens, ok = held.text(tokens[1:]); ok {
			format = strings.Replace(format, "%s", arg, 1)
		}
	}
	if !ok || len(tokens) == 0 || !tokens[0].is(")") || strings.Contains(format, "%") {
		return "", tokens, false
	}
	return format, tokens[1:], true
}
