package filter

import "strings"

// An edit is one s or y command.
type edit struct {
	from, to string
	chars    bool // y
	all      bool // s///g
}

// translate is tr(1) of ASCII: two sets, -d SET, -s SET, and -c of them.
func translate(args []string, in string) (string, bool) {
	var letters string
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0] != "--" {
		letters, args = letters+args[0][1:], args[1:]
	}
	if len(args) > 1 && args[0] == "--" {
		args = args[1:]
	}
	if strings.Trim(letters, "dscC") != "" || len(args) == 0 || !asciiOnly(in) {
		return "", false
	}
	from, ok := trSet(args[0])
	if !ok {
		return "", false
	}
	if strings.ContainsAny(letters, "cC") {
		from = complement(from)
	}
	squeeze, remove := strings.Contains(letters, "s"), strings.Contains(letters, "d")
	switch {
	case remove && !squeeze && len(args) == 1:
		return strings.Map(func(r rune) rune {
			if strings.IndexByte(from, byte(r)) >= 0 {
				return -1
			}
			return r
		}, in), true
	case squeeze && !remove && len(args) == 1:
		return squeezed(in, from), true
	case !squeeze && !remove && len(args) == 2:
		to, ok := trSet(args[1])
		if !ok || to == "" || from == "" || len(to) > 1 && letters != "" || strings.Contains(args[1], "[:") && !swapsCase(args) {
			return "", false
		}
		return mapped(in, from, to), true
	}
	return "", false
}

// swapsCase reports whether a class stands in the second set as POSIX allows it there.
func swapsCase(sets []string) bool {
	return sets[0] == "[:lower:]" && sets[1] == "[:upper:]" || sets[0] == "[:upper:]" && sets[1] == "[:lower:]"
}

// mapped replaces each character of one set by that of the other; the last of a shorter
// second set stands for all that are missing.
func mapped(in, from, to string) string {
	out := []byte(in)
	for i, c := range out {
		if at := strings.LastIndexByte(from, c); at >= 0 {
			out[i] = to[min(at, len(to)-1)]
		}
	}
	return string(out)
}

func squeezed(in, set string) string {
	var b strings.Builder
	for i := range len(in) {
		if i > 0 && in[i] == in[i-1] && strings.IndexByte(set, in[i]) >= 0 {
			continue
		}
		b.WriteByte(in[i])
	}
	return b.String()
}

func complement(set string) string {
	var b strings.Builder
	for c := range byte(0x80) {
		if strings.IndexByte(set, c) < 0 {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// trSet spells out a set: characters, a-z, escapes and the classes that are ranges.
func trSet(s string) (string, bool) {
	var out []byte
	for s != "" {
		if strings.HasPrefix(s, "[:") || strings.HasPrefix(s, "[=") || strings.HasPrefix(s, "[") && strings.Contains(s, "*") {
			class, rest, ok := strings.Cut(s[1:], "]")
			chars, ok2 := trClasses[class]
			if !ok || !ok2 {
				return "", false
			}
			out, s = append(out, chars...), rest
			continue
		}
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

// trClasses are those classes of characters whose order is fixed.
var trClasses = map[string]string{
	":digit:": "0123456789",
	":lower:": "abcdefghijklmnopqrstuvwxyz",
	":upper:": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
	":space:": "\t\n\v\f\r ",
	":blank:": "\t ",
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

// substitute is sed(1) with s and y commands whose patterns have no special characters, for
// each line.
func substitute(args []string, in string) (string, bool) {
	var edits []edit
	for len(args) > 1 && args[0] == "-e" {
		more, ok := parseEdits(args[1])
		if !ok {
			return "", false
		}
		edits, args = append(edits, more...), args[2:]
	}
	if len(edits) == 0 && len(args) == 1 {
		more, ok := parseEdits(args[0])
		if !ok {
			return "", false
		}
		edits, args = more, nil
	}
	if len(edits) == 0 || len(args) > 0 || !asciiOnly(in) {
		return "", false
	}
	var b strings.Builder
	for line := range strings.Lines(in) {
		text := strings.TrimSuffix(line, "\n")
		for _, e := range edits {
			text = e.apply(text)
			if len(text) > MaxOutput {
				return "", false
			}
		}
		b.WriteString(text + line[len(strings.TrimSuffix(line, "\n")):])
		if b.Len() > MaxOutput {
			return "", false
		}
	}
	return b.String(), true
}

func (e edit) apply(text string) string {
	switch {
	case e.chars:
		return mapped(text, e.from, e.to)
	case e.all:
		return strings.ReplaceAll(text, e.from, e.to)
	}
	return strings.Replace(text, e.from, e.to, 1)
}

// parseEdits reads a script of such commands, which ; or a newline separates.
func parseEdits(script string) ([]edit, bool) {
	var out []edit
	for {
		script = strings.TrimLeft(script, " \t;\n")
		if script == "" {
			return out, len(out) > 0
		}
		if len(script) < 4 || script[0] != 's' && script[0] != 'y' {
			return nil, false
		}
		parts := strings.SplitN(script[2:], script[1:2], 3)
		if len(parts) < 3 || len(out) >= maxEdits || !asciiOnly(script) || script[1] == '\n' || script[1] == '\\' {
			return nil, false
		}
		e := edit{from: parts[0], to: parts[1], chars: script[0] == 'y'}
		end := len(parts[2])
		if i := strings.IndexAny(parts[2], ";\n"); i >= 0 {
			end = i
		}
		flags := strings.TrimRight(parts[2][:end], " \t")
		e.all = flags == "g" && !e.chars
		if flags != "" && !e.all || e.special() {
			return nil, false
		}
		out, script = append(out, e), parts[2][end:]
	}
}

// special reports whether something in the edit is not simply characters.
func (e edit) special() bool {
	if e.chars {
		for i := range len(e.from) {
			if strings.IndexByte(e.from[i+1:], e.from[i]) >= 0 {
				return true
			}
		}
		return len(e.from) != len(e.to) || e.from == "" || strings.ContainsAny(e.from+e.to, "\\\n")
	}
	return e.from == "" || strings.ContainsAny(e.from, "\\.*[]^$+?(){}|\n") || strings.ContainsAny(e.to, "\\&\n")
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
