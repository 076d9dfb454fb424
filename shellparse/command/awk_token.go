package command

import "strings"

type awkToken struct {
	text   string
	string bool // text is the value of a string literal
}

func (t awkToken) is(text string) bool { return !t.string && t.text == text }

// ends reports whether the expression is over, so that the literal before it is all of it.
func ends(tokens []awkToken) bool {
	if len(tokens) == 0 {
		return true
	}
	switch t := tokens[0]; {
	case t.string:
		return false
	default:
		return strings.Contains(" ; } \n ) ", " "+t.text+" ")
	}
}

// awkTokens splits a program into words, operators and literals. A slash starts a regular
// expression unless an operand comes before it.
func awkTokens(text string) []awkToken {
	var out []awkToken
	operand := false
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '\\' && i+1 < len(text) && text[i+1] == '\n':
			i += 2
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '"':
			var s string
			s, i = awkString(text, i+1, '"')
			out = append(out, awkToken{s, true})
			operand = true
		case c == '/' && !operand:
			_, i = awkString(text, i+1, '/')
			out = append(out, awkToken{"/re/", false})
			operand = true
		case wordByte(c):
			from := i
			for i < len(text) && wordByte(text[i]) {
				i++
			}
			word := text[from:i]
			out = append(out, awkToken{word, false})
			operand = word != "print" && word != "printf" && word != "return" && word != "in" &&
				word != "getline"
		default:
			n := 1
			for _, op := range []string{"|&", "||", "&&", ">>", ">=", "<=", "==", "!="} {
				if strings.HasPrefix(text[i:], op) {
					n = 2
				}
			}
			out = append(out, awkToken{text[i : i+n], false})
			operand = c == ')' || c == ']' || c == '$'
			i += n
		}
	}
	return out
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// awkString returns a literal without its escapes, and the offset behind it. Escapes that
// spell a byte by number make the text a mere approximation, so they stay as they are.
func awkString(text string, i int, end byte) (string, int) {
	var b strings.Builder
	for i < len(text) {
		c := text[i]
		switch {
		case c == end:
			return b.String(), i + 1
		case c == '\\' && i+1 < len(text):
			i++
			switch e := text[i]; e {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '"', '\\', '/':
				b.WriteByte(e)
			default:
				b.WriteByte('\\')
				b.WriteByte(e)
			}
		default:
			b.WriteByte(c)
		}
		i++
	}
	return b.String(), i
}
