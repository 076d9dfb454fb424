package resolve

import (
	_ "embed"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

//go:embed readers.txt
var readerText string

// readers yields each program and how it opens a file of code.
func readers(yield func(program, how string) bool) {
	for line := range strings.Lines(readerText) {
		how, programs, ok := strings.Cut(line, ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for _, program := range strings.Fields(programs) {
			if !yield(program, how) {
				return
			}
		}
	}
}

// Readers are the programs that open a file of code by its name, by their base names without a
// version, and those of them that start themselves again when such a file was edited.
func Readers() (all, again []string) {
	for program, how := range readers {
		if all = append(all, program); how == "again" {
			again = append(again, program)
		}
	}
	return all, again
}

// unversioned is the base name of a program without a version, such as python of python3.11.
func unversioned(program string) string {
	return strings.TrimRight(path.Base(program), "0123456789.-")
}

// Executed reports whether a file is one of code: the text names it, make reads it, or what it says
// was judged. Other files of settings are bound and not executed.
func (p *Plan) Executed(c *Content) bool {
	return c.Name == "" || c.Command >= 0 && c.Command < len(p.Script.Commands) &&
		isMake(path.Base(p.Script.Commands[c.Command].Name)) ||
		slices.ContainsFunc(p.Inner, func(in Inner) bool { return in.Path == c.Path })
}

// ReadsPlainly reports whether what opens a file of code for this plan does so without a flag, as
// far as is known. The text is the file's, and the shell the one that runs the command line.
func (p *Plan) ReadsPlainly(c *Content, text, shell string) bool {
	if c.Command < 0 || c.Command >= len(p.Script.Commands) {
		return false
	}
	reader := p.Script.Commands[c.Command].Name
	for i := range p.Programs {
		if r := &p.Programs[i]; r.Command == c.Command && r.Real != "" {
			reader = r.Real
		}
	}
	switch {
	case reader == "." || reader == "source":
		reader = shell
	case p.isCommand(c, reader):
		reader = interpreter(text)
	}
	if reader == "sh" {
		reader = "/bin/sh"
	}
	if real, err := filepath.EvalSymlinks(reader); path.IsAbs(reader) && err == nil {
		reader = real
	}
	for program, how := range readers {
		if program == unversioned(reader) {
			return how == "plain"
		}
	}
	return false
}

// isCommand reports whether a file of code is itself what a command executes.
func (p *Plan) isCommand(c *Content, program string) bool {
	return program == c.Path || slices.ContainsFunc(p.Targets, func(t Target) bool {
		return t.Command == c.Command && t.Real == c.Path && t.Right == command.Exec
	})
}
