package eval

import (
	"strconv"
	"strings"
)

// A sayer is how a language prints text when its program is given in that way.
type sayer struct {
	around string // what the statement must be in
	joins  string // the sign between two literals that makes one of them
	verbs  []saying
}

// A saying is a word that prints, and what it puts behind.
type saying struct{ word, end string }

// nameOutput is the output of basename and dirname, which only look at their words.
func (c *call) nameOutput() (value, bool) {
	name := base(c.words[0].Text)
	if name == "seq" {
		return c.sequence()
	}
	if name != "basename" && name != "dirname" || len(c.args) < 2 || len(c.args) > 3 {
		return nil, false
	}
	for _, word := range c.words[1:] {
		if !word.Static || strings.HasPrefix(word.Text, "-") {
			return nil, false
		}
	}
	text := c.words[1].Text
	trimmed := strings.TrimRight(text, "/")
	switch {
	case text != "" && trimmed == "":
		return known("/\n"), true
	case name == "dirname" && len(c.args) == 2:
		i := strings.LastIndexByte(trimmed, '/')
		if i < 0 {
			return known(".\n"), true
		}
		if trimmed = strings.TrimRight(trimmed[:i], "/"); trimmed == "" {
			trimmed = "/"
		}
		return known(trimmed + "\n"), true
	case name == "basename":
		trimmed = base(trimmed)
		if len(c.args) == 3 && trimmed != c.words[2].Text {
			trimmed = strings.TrimSuffix(trimmed, c.words[2].Text)
		}
		return known(trimmed + "\n"), true
	}
	return nil, false
}

// sequence is the output of seq(1) with whole numbers.
func (c *call) sequence() (value, bool) {
	var n []int64
	for _, word := range c.words[1:] {
		i, ok := integer(word.Text)
		if !word.Static || !ok {
			return nil, false
		}
		n = append(n, i)
	}
	from, step := int64(1), int64(1)
	switch len(n) {
	case 2:
		from = n[0]
	case 3:
		from, step = n[0], n[1]
	case 0:
		return nil, false
	}
	to := n[len(n)-1]
	if step <= 0 || len(n) > 3 || to-from > step*longSequence || from > to {
		return nil, false
	}
	var b strings.Builder
	for ; from <= to; from += step {
		b.WriteString(strconv.FormatInt(from, 10) + "\n")
	}
	return known(b.String()), true
}

// printed is the output of a program in another language that does nothing but print what
// is in it: cat $(awk 'BEGIN { print "/etc/x" }') is no other than cat /etc/x. What is not
// certainly of that kind stays unknown.
func (c *call) printed() (value, bool) {
	if len(c.words) < 2 || len(c.words) > 4 {
		return nil, false
	}
	how := languageOf(base(c.words[0].Text))
	for _, word := range c.words[1 : len(c.words)-1] {
		how += " " + word.Text
	}
	program := c.words[len(c.words)-1]
	says, ok := sayers[how]
	if !ok || !program.Static {
		return nil, false
	}
	text := strings.TrimSpace(program.Text)
	if says.around != "" { // without it awk would print once for each line of its input
		body, ok := strings.CutPrefix(text, says.around)
		if text = strings.TrimSpace(body); !ok || !strings.HasPrefix(text, "{") ||
			!strings.HasSuffix(text, "}") {
			return nil, false
		}
		text = strings.TrimSpace(text[1 : len(text)-1])
	}
	for _, verb := range says.verbs {
		rest, ok := strings.CutPrefix(text, verb.word)
		if out, whole := quoted(rest, says.joins); ok && whole &&
			(verb.word == "" || rest[0] == ' ' || rest[0] == '(') {
			return known(out + verb.end).said(disguised), true
		}
	}
	return nil, false
}

var sayers = map[string]sayer{
	"awk":       {around: "BEGIN", verbs: []saying{{"print", "\n"}, {"printf", ""}}},
	"python -c": {joins: "+", verbs: []saying{{"print", "\n"}}},
	"perl -e":   {joins: ".", verbs: []saying{{"print", ""}}},
	"perl -E":   {joins: ".", verbs: []saying{{"print", ""}, {"say", "\n"}}},
	"ruby -e":   {joins: "+", verbs: []saying{{"puts", "\n"}, {"print", ""}}},
	"php -r":    {joins: ".", verbs: []saying{{"echo", ""}, {"print", ""}}},
	"javascript -e": {joins: "+", verbs: []saying{{"console.log", "\n"},
		{"process.stdout.write", ""}}},
	"javascript -p": {joins: "+", verbs: []saying{{"", "\n"}}},
	"jq -rn":        {joins: "+", verbs: []saying{{"", "\n"}}},
	"jq -nr":        {joins: "+", verbs: []saying{{"", "\n"}}},
	"jq -n -r":      {joins: "+", verbs: []saying{{"", "\n"}}},
	"jq -r -n":      {joins: "+", verbs: []saying{{"", "\n"}}},
}

// quoted reads literals that are joined, in brackets or not, up to the end. A letter that means
// something inside quotes anywhere makes it uncertain.
func quoted(text, joins string) (string, bool) {
	text = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text), ";"))
	if inner, ok := strings.CutPrefix(text, "("); ok && strings.HasSuffix(inner, ")") {
		text = strings.TrimSpace(inner[:len(inner)-1])
	}
	var b strings.Builder
	for some := false; ; some = true {
		if text == "" {
			return b.String(), some
		}
		if some {
			rest, ok := strings.CutPrefix(text, joins)
			if text = strings.TrimSpace(rest); !ok {
				return "", false
			}
		}
		if text == "" || text[0] != '"' && text[0] != '\'' {
			return "", false
		}
		end := strings.IndexByte(text[1:], text[0])
		if end < 0 || strings.ContainsAny(text[1:1+end], "\\$@%#{}`\n") {
			return "", false
		}
		b.WriteString(text[1 : 1+end])
		text = strings.TrimSpace(text[2+end:])
	}
}
