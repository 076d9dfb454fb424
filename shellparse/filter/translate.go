package filter

import "strings"

// translate is tr(1) of two sets of ASCII, or of -d and one.
func translate(args []string, in string) (string, bool) {
	if len(args) != 2 || !asciiOnly(in) {
		return "", false
	}
	if args[0] == "-d" {
		set, ok := trSet(args[1])
		return strings.Map(func(r rune) rune {
			if strings.IndexByte(set, byte(r)) >= 0 {
				return -1
			}
			return r
		}, in), ok
	}
	from, ok := trSet(args[0])
	to, ok2 := trSet(args[1])
	if !ok || !ok2 || args[0][0] == '-' {
		return "", false
	}
	return mapped(in, from, to), true
}

// mapped replaces each character of one set by the one at the same place in the other; the last of
// a shorter second set is repeated.
func mapped(in, from, to string) string {
	out := []byte(in)
	for i, c := range out {
		if at := strings.LastIndexByte(from, c); at >= 0 {
			out[i] = to[min(at, len(to)-1)]
		}
	}
	return string(out)
}

// trSet spells out a set: characters, a-z and escapes. One with brackets could be a class.
func trSet(s string) (string, bool) {
	if s == "" || strings.Contains(s, "[") {
		return "", false
	}
	var out []byte
	for s != "" {
		c, rest, ok := trChar(s)
		if !ok {
			return "", false
		}
		if len(rest) > 1 && rest[0] == '-' {
			last, after, ok := trChar(rest[1:])
			if !ok || last < c {
				return "", false
			}
			for ; c < last; c++ {
				out = append(out, c)
			}
			rest = after
		}
		out, s = append(out, c), rest
	}
	return string(out), true
}

func trChar(s string) (c byte, rest string, ok bool) {
	if s[0] != '\\' {
		return s[0], s[1:], s[0] < 0x80
	}
	if len(s) < 2 {
		return 0, "", false
	}
	if i := strings.IndexByte(`nt\abfrv`, s[1]); i >= 0 {
		return "\n\t\\\a\b\f\r\v"[i], s[2:], true
	}
	return 0, "", false
}

// substitute is sed(1) with one s command whose pattern has no special characters, for each line.
func substitute(args []string, in string) (string, bool) {
	if len(args) != 1 || len(args[0]) < 4 || args[0][0] != 's' || !asciiOnly(args[0]+in) ||
		strings.IndexByte("\n\\", args[0][1]) >= 0 {
		return "", false
	}
	parts := strings.Split(args[0][2:], args[0][1:2])
	if len(parts) != 3 || parts[0] == "" || strings.ContainsAny(parts[0], "\\.*[]^$+?(){}|\n") ||
		strings.ContainsAny(parts[1], "\\&\n") {
		return "", false
	}
	times := 1
	if parts[2] == "g" {
		times = -1
	}
	var b strings.Builder
	for line := range strings.Lines(in) {
		b.WriteString(strings.Replace(line, parts[0], parts[1], times))
		if b.Len() > MaxOutput {
			return "", false
		}
	}
	return b.String(), parts[2] == "" || parts[2] == "g"
}

// asciiOnly is what filters of characters read alike in every locale.
func asciiOnly(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] == 0 {
			return false
		}
	}
	return true
}
