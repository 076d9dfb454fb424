package eval

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// nameList reads a list of names that a program is given: tar -T, rsync --files-from, cpio -o.
// Where the text does not have the list, the file is like any other that is only read.
func (w *commands) nameList(s *state, c *call, l command.NameList, dir string) {
	in := s.input()
	if l.Arg >= 0 {
		v := w.fromArg(c, l.Arg, l.File)
		if in = behind(v); in == nil {
			in = s.descriptor(v)
		}
		if word := c.args[l.Arg]; in == nil && len(word) > 0 {
			in = word[len(word)-1].flow // --files-from=<(...)
		}
		if f := w.made(s, v); in == nil && f != nil {
			in = &f.flow
		}
	}
	text, ok := in.whole()
	if !ok {
		return
	}
	start := ""
	if l.From != nil {
		dir, start = w.within(s, c, *l.From), "./"
	}
	end := "\n"
	if strings.Contains(text, "\x00") {
		end = "\x00"
	}
	for i, line := range strings.Split(text, end) {
		if i == maxFields {
			w.over(s, "more names in a list than are followed")
			return
		}
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			continue
		}
		w.reaches(s, Effect{Right: command.Read, Flags: command.Recursive,
			Name: w.nameIn(known(start+line), dir), Span: c.at(max(l.Arg, 0))})
	}
}
