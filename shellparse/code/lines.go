package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// lines collects the facts of the languages that are lists of commands.
type lines struct {
	src    string
	facts  []Fact
	opaque bool
}

func (s *lines) add(f Fact, start, end int) {
	f.Start, f.End = start, end
	s.facts = append(s.facts, f)
}

func (s *lines) file(right command.Right, flags command.Flags, name string, start, end int) {
	if name != "" {
		s.add(Fact{Right: right, Flags: flags, Text: name}, start, end)
	}
}

func firstWord(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[0]
	}
	return ""
}
