package shellparse

import (
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// describe writes a Script as the lines that the golden transcripts and tables compare.
func describe(s *Script) string {
	var b strings.Builder
	for _, c := range s.Commands {
		fmt.Fprintf(&b, "run %s", strings.Join(append(c.Via[:len(c.Via):len(c.Via)],
			"")[:len(c.Via)], " > "))
		if len(c.Via) > 0 {
			b.WriteString(" > ")
		}
		for _, a := range c.Assign {
			fmt.Fprintf(&b, "%s=%s ", a.Name, showWord(a.Value))
		}
		for i, w := range c.Args {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(showWord(w))
		}
		if c.Builtin {
			b.WriteString("  (shell)")
		}
		if c.ReadOnly {
			b.WriteString("  (reads)")
		}
		if c.Dir != "/w" {
			fmt.Fprintf(&b, "  in %q", c.Dir)
		}
		b.WriteByte('\n')
	}
	for _, e := range s.Effects {
		b.WriteString(showEffect(e) + "\n")
	}
	for _, h := range s.Hazards {
		fmt.Fprintf(&b, "hazard %s %d\n", h.Rule, h.Risk)
	}
	for _, c := range s.Codes {
		fmt.Fprintf(&b, "code %s %s", c.Lang, sourceName(c.Source))
		if c.Text != "" || c.Source == Literal {
			fmt.Fprintf(&b, " %q", c.Text)
		}
		if c.Opaque {
			b.WriteString(" and more")
		}
		b.WriteByte('\n')
	}
	for _, o := range s.Opaque {
		fmt.Fprintf(&b, "opaque %s %q: %s\n", placeName(o.Place), o.Text, o.Why)
	}
	for _, m := range s.Marks {
		fmt.Fprintf(&b, "mark %s %U\n", m.Kind, m.Rune)
	}
	return b.String()
}

func showWord(w Word) string {
	switch {
	case w.Static && (w.Text == "" || strings.ContainsAny(w.Text, " \n\t<>'\"")):
		return fmt.Sprintf("%q", w.Text)
	case w.Static:
		return w.Text
	case w.Glob:
		return "<" + w.Text + ">"
	}
	return "<" + w.Text + "?>"
}

func showEffect(e Effect) string {
	right := [...]string{"?", "read", "write", "create", "delete", "exec", "net"}[e.Right]
	for i, f := range []string{"tree", "append", "meta", "link", "nofollow", "list", "upload",
		"source", "below", "maybe"} {
		if e.Flags&(command.Recursive<<i) != 0 {
			right += "+" + f
		}
	}
	if e.Net != nil {
		host := e.Net.Host
		if !e.Net.Static {
			host += "?"
		}
		return fmt.Sprintf("%s %s://%s:%d", right, e.Net.Scheme, host, e.Net.Port)
	}
	n := e.Name
	text := n.Text
	switch {
	case n.User != "":
		text = "~" + n.User + "/" + text
	case n.Dir != "" && !strings.HasPrefix(text, "/"):
		text = n.Dir + "/" + text
	case !strings.HasPrefix(text, "/"):
		text = "?/" + text
	}
	switch {
	case n.Glob:
		text = "<" + text + ">"
		if n.Of != "" {
			text += " of <" + n.Of + ">"
		}
	case !n.Static:
		text = "<" + text + "?>"
	}
	return right + " " + text
}

func sourceName(s Source) string {
	return [...]string{"unknown", "network", "decoded", "stdin", "file", "literal"}[s]
}

func placeName(p Place) string {
	return [...]string{"text", "program", "code", "delete", "write", "host", "option", "read",
		"data"}[p]
}
