package render

import "strings"

// softBreaks returns the offsets in a shell text at which a new stage begins: after ; and before &&
// || | &, outside quotes. It affects only the layout: nothing is added to or taken from what is
// shown, so a text that it misreads is laid out badly but shown whole.
func softBreaks(s string) []int {
	var out []int
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == '\'':
			if c == '\'' {
				quote = 0
			}
		case c == '\\':
			i++
		case quote == '"':
			if c == '"' {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ';':
			for i+1 < len(s) && s[i+1] == ';' {
				i++
			}
			out = append(out, skipSpace(s, i+1))
		case c == '&' || c == '|':
			n := 1
			if i+1 < len(s) && (s[i+1] == '&' || s[i+1] == '|') {
				n = 2
			}
			if !redirects(s, i, n) {
				out = append(out, i)
			}
			i += n - 1
		}
	}
	return out
}

// redirects reports whether the operator at i is part of a redirection: >&, <&, &>, >|.
func redirects(s string, i, n int) bool {
	if n == 2 {
		return false
	}
	return i > 0 && strings.IndexByte("<>", s[i-1]) >= 0 ||
		s[i] == '&' && i+1 < len(s) && s[i+1] == '>'
}

func skipSpace(s string, i int) int {
	for i < len(s) && s[i] == ' ' {
		i++
	}
	return i
}
