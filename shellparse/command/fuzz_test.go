package command

import (
	"strings"
	"testing"
)

// FuzzMatch gives any words to any entry: nothing panics, and each fact points at a word.
func FuzzMatch(f *testing.F) {
	for _, e := range entries(f) {
		for _, x := range e.examples() {
			f.Add(x.line, uint8(0))
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(closures), "\n") {
		_, rest, _ := strings.Cut(line, " | ")
		f.Add(rest[:strings.LastIndex(rest, " | ")], uint8(3))
	}
	f.Add(`pandoc -F " "`, uint8(0))
	f.Add(`git clone ext::`, uint8(0))
	f.Fuzz(func(t *testing.T, line string, unknown uint8) {
		args := argv(line)
		if len(args) == 0 {
			return
		}
		// One word loses its end, as if a variable stood there.
		if i := int(unknown) % len(args); i > 0 {
			args[i] = Arg{Text: args[i].Text[:len(args[i].Text)/2]}
		}
		s, _ := Lookup(base(args[0].Text))
		u := s.Match(args)
		points := func(what string, at int) {
			if at < -1 || at >= len(args) {
				t.Errorf("%q: %s points at word %d", line, what, at)
			}
		}
		for _, x := range u.Touches {
			points("touch", x.Arg)
		}
		for _, x := range u.Hosts {
			points("host", x.Arg)
		}
		for _, x := range u.Hazards {
			points("hazard", x.Arg)
		}
		for _, x := range u.Opaque {
			points("opaque", x.Arg)
		}
		for _, x := range u.Nested {
			points("nested", x.Arg)
			if n := len(x.Argv); n == 0 == (x.Shell == nil && x.Code == nil) {
				t.Errorf("%q: a nested thing that is not one thing: %+v", line, x)
			}
		}
	})
}

// FuzzParse gives any text to the reader of entries: nothing panics, and an accepted table
// answers for each of its names.
func FuzzParse(f *testing.F) {
	for _, text := range tables() {
		for at := header(text, 0); at < len(text); {
			end := header(text, at+1)
			f.Add(text[at:end])
			at = end
		}
	}
	f.Add("x: -e -i\n with -e& : C:\n") // an option without a name
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Parse(text)
		if err != nil {
			return
		}
		for at := header(table.own, 0); at < len(table.own); at = header(table.own, at+1) {
			name := headerName(table.own[at:])
			if badName(name) {
				continue
			}
			if _, ok := table.Lookup(name); !ok {
				if _, alias := aliasOf(table.own[at:]); !alias {
					t.Errorf("%q was accepted but is not found", name)
				}
			}
		}
	})
}
