package pathguard

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tada-run/tada-run/shellparse/command"
)

// Programs returns what the configuration says about programs that the built-in table does
// not know, or knows otherwise: for [shellparse.Options]. It is parsed when the policy is
// made, so what it says is in the digest and has no error left.
func (p Policy) Programs() command.Table { return p.programs }

// readPrograms reads entries in the words of the command table: one text, or a list of
// texts that are put together. Saying what a program does can hide what it does, so a file
// that can only tighten has no say here.
func readPrograms(d *decoder, n *yaml.Node) error {
	if isNull(n) {
		return nil
	}
	parts := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		parts = n.Content
	}
	var all strings.Builder
	for _, part := range parts {
		text, err := d.text(part)
		if err != nil {
			return err
		}
		if _, err := command.Parse(text); err != nil {
			return d.program(part, text, err)
		}
		all.WriteString(strings.TrimRight(text, "\n") + "\n")
	}
	if _, err := command.Parse(all.String()); err != nil {
		return d.fail(n, "programs: %v", err) // the same entry in two texts
	}
	d.set.Programs = all.String()
	return nil
}

// program blames the line that the first entry with an error starts on. A line that is
// neither blank, nor indented, nor a comment starts an entry.
func (d *decoder) program(n *yaml.Node, text string, err error) error {
	blame := &ConfigError{File: d.file.Path, Line: n.Line, Msg: "programs: " + err.Error()}
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		return blame
	}
	start, entry := 0, ""
	bad := func() bool {
		_, err := command.Parse(entry)
		if err != nil {
			blame.Line, blame.Msg = n.Line+start, "programs: "+err.Error()
		}
		return err != nil
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if strings.IndexByte(" \t\n#", line[0]) < 0 {
			if bad() {
				return blame
			}
			start, entry = number, ""
		}
		entry += line
	}
	bad()
	return blame
}
