package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// What a program finds, and xargs(1) gives to a command, is as much as find -exec would give it:
// the names below a folder, or those that a pattern fits.

// found is what the names in the output of a command are below, or fit; nil where that is not
// known.
func (w *commands) found(c *call, in *stream) []command.Arg {
	switch base(c.words[0].Text) {
	case "find":
		return w.foundByFind(c)
	case "ls":
		return c.listed()
	case "git":
		if len(c.words) > 1 && c.words[1].Static && c.words[1].Text == "ls-files" {
			return []command.Arg{{Text: ".", Below: true}}
		}
	case "grep", "sort", "uniq", "head", "tail", "shuf":
		if in != nil && c.selects() {
			return in.found
		}
	}
	return nil
}

// printers are the actions of find that print something else, or do more than to print.
var printers = []string{"-printf", "-ls", "-fls", "-fprint", "-fprint0", "-fprintf", "-exec",
	"-execdir", "-ok", "-okdir"}

// foundByFind is what find would put in the place of {}.
func (w *commands) foundByFind(c *call) []command.Arg {
	spec, ok := w.spec("find")
	if !ok || slices.ContainsFunc(c.words,
		func(x Word) bool { return !x.Static && !x.Glob || slices.Contains(printers, x.Text) }) {
		return nil
	}
	argv := slices.Clip(c.argv)
	for _, word := range []string{"-exec", "true", "{}", ";"} {
		argv = append(argv, command.Arg{Text: word, Static: true})
	}
	var found []command.Arg
	for _, n := range spec.Match(argv).Nested {
		if len(n.Argv) != 2 || !n.Argv[1].Below && !n.Argv[1].Glob {
			return nil
		}
		found = append(found, n.Argv[1])
	}
	return found
}

// listed are the patterns whose matches ls prints as they are.
func (c *call) listed() []command.Arg {
	var found []command.Arg
	for i, word := range c.words[1:] {
		switch {
		case word.Static && strings.HasPrefix(word.Text, "-") &&
			strings.Trim(word.Text, "-1adtrSUA") == "":
		case word.Glob:
			found = append(found, c.argv[i+1])
		default:
			return nil
		}
	}
	return found
}

// selects reports whether a filter prints some of the lines that it reads, and reads no file.
func (c *call) selects() bool {
	operands := 0
	for _, word := range c.words[1:] {
		switch {
		case !word.Static:
			return false
		case !strings.HasPrefix(word.Text, "-"):
			if _, number := integer(word.Text); !number {
				operands++
			}
		case strings.Trim(word.Text, "-vEFiwxnurz0123456789") != "":
			return false
		}
	}
	if base(c.words[0].Text) == "grep" {
		return operands == 1 && !slices.ContainsFunc(c.words[1:], func(x Word) bool {
			return strings.HasPrefix(x.Text, "-") && strings.Contains(x.Text, "n")
		})
	}
	return operands == 0
}
