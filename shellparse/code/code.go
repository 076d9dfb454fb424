package code

import "github.com/tada-run/tada-run/shellparse/command"

// A Fact is one thing that a program text certainly names: a file it opens, a program it
// starts, a host it contacts.
type Fact struct {
	Right      command.Right
	Flags      command.Flags
	Text       string   // path, host or URL as the string literal spells it
	Shell      string   // when Right is Exec and the literal is a shell command line: that line
	Argv       []string // when Right is Exec and the literal is a list: its words
	Start, End int      // byte offsets in the program text
}
