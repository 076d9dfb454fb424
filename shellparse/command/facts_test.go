package command

import (
	"fmt"
	"slices"
	"strings"
)

// flagNames spells flags in facts.
var flagNames = []struct {
	flag Flags
	name string
}{
	{Recursive, "recursive"}, {Append, "append"}, {Meta, "meta"}, {Link, "link"},
	{NoFollow, "nofollow"}, {List, "list"}, {Upload, "upload"}, {Source, "source"},
	{Below, "below"}, {Possible, "possible"}, {Uses, "uses"},
}

func (r Right) word() string {
	return [...]string{"?", "read", "write", "create", "delete", "exec", "net"}[r]
}

// facts prints a Use in the words of the table's examples.
func facts(u Use) []string {
	var out []string
	add := func(format string, a ...any) {
		out = append(out, strings.TrimSpace(fmt.Sprintf(format, a...)))
	}
	for _, t := range u.Touches {
		name := t.Right.word()
		for _, f := range flagNames {
			if t.Flags&f.flag != 0 {
				name += "+" + f.name
			}
		}
		text := t.Text
		if !t.Static && !t.Glob {
			text += "$"
		}
		add("%s %s %s", name, text, t.Base)
	}
	for _, l := range u.Lists {
		name := "-"
		if l.Arg >= 0 {
			name = shown(l.File)
		}
		if l.From != nil {
			name += " from " + l.From.Text
		}
		add("names %s", name)
	}
	for _, h := range u.Hosts {
		add("net %s", hostFact(h))
	}
	for _, h := range u.Hazards {
		add("!%s", h.Rule)
	}
	for _, n := range u.Nested {
		add("%s", nestedFact(n))
	}
	if u.Clear {
		add("clear")
	}
	for _, a := range u.Unset {
		add("unset %s", shown(a))
	}
	for _, a := range u.Assign {
		add("set %s=%s", a.Name, a.Value.Text)
	}
	if u.Dir != nil {
		add("in %s", u.Dir.Text)
	}
	if u.Data != "" {
		add("data %s", u.Data)
	}
	if u.StdinCode != "" {
		add("stdin %s", u.StdinCode)
	}
	for range u.Unknown {
		add("unknown")
	}
	for range u.Opaque {
		add("opaque")
	}
	if u.Filter != "" {
		add("filter %s", u.Filter)
	}
	if u.ReadOnly {
		add("read-only")
	}
	return out
}

func hostFact(h Host) string {
	s := h.Host
	if h.Scheme != "" {
		s = h.Scheme + "://" + s
	}
	if h.Port != 0 {
		s += fmt.Sprintf(":%d", h.Port)
	}
	if !h.Static {
		s += "$"
	}
	if h.Upload {
		s += "+upload"
	}
	if h.Built {
		s += "+built"
	}
	return s
}

func nestedFact(n Nested) string {
	var s string
	switch {
	case n.Shell != nil:
		s = "sh " + shown(*n.Shell)
	case n.Code != nil:
		s = "code:" + n.Code.Lang + " " + shown(n.Code.Text)
	default:
		parts := []string{"run"}
		for _, a := range n.Argv {
			parts = append(parts, shown(a))
		}
		s = strings.Join(parts, " ")
	}
	for _, f := range []struct {
		on   bool
		name string
	}{{n.Stdin, "+stdin"}, {n.Remote, "+remote"}, {n.Possible, "+possible"}} {
		if f.on {
			head, tail, _ := strings.Cut(s, " ")
			s = head + f.name + " " + tail
		}
	}
	return s
}

func shown(a Arg) string {
	switch {
	case a.Below:
		return "{" + a.Text + "}"
	case a.Static || a.Glob:
		return a.Text
	case a.Text == "":
		return "{?}"
	}
	return a.Text + "{?}"
}

// argv reads the line of an example. $ in an unquoted word starts what is not known, and *
// or ? makes it a pattern.
func argv(line string) []Arg {
	words := split(Arg{Text: line, Static: true})
	quoted := quotedWords(line)
	for i, w := range words {
		if i < len(quoted) && quoted[i] {
			continue
		}
		if at := strings.IndexByte(w.Text, '$'); at >= 0 {
			words[i] = Arg{Text: w.Text[:at]}
		} else if strings.ContainsAny(w.Text, "*?") {
			words[i] = Arg{Text: w.Text, Glob: true}
		}
	}
	return words
}

// quotedWords tells which words of a line hold a single quote.
func quotedWords(line string) []bool {
	var out []bool
	in, quote, has := false, byte(0), false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote, in, has = c, true, true
		case c == '\\':
			i++
			in, has = true, true
		case c == ' ':
			if in {
				out = append(out, has)
			}
			in, has = false, false
		default:
			in = true
		}
	}
	if in {
		out = append(out, has)
	}
	return out
}

// quiet are the facts that an example names only when it is about them.
func quiet(fact string) bool { return fact == "read-only" || strings.HasPrefix(fact, "filter ") }

// missing returns what an example expects and does not get, and what it gets and does not
// expect.
func compare(got, want []string) (missing, extra []string) {
	got = slices.Clone(got)
	for _, w := range want {
		if i := slices.Index(got, w); i >= 0 {
			got = slices.Delete(got, i, i+1)
		} else if w != "" {
			missing = append(missing, w)
		}
	}
	for _, g := range got {
		if !quiet(g) {
			extra = append(extra, g)
		}
	}
	return missing, extra
}
