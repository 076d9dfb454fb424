package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// What a program finds, and xargs(1) gives to a command, is as much as find -exec would give it:
// the names below a folder, or those that a pattern fits.

// found is what the names in the output of a command are below, or fit; nil where that is not
// known. A program that is called by its path, or looked for where the text says, may be another
// one of that name.
func (w *commands) found(s *state, c *call, in *stream) []command.Arg {
	if _, sought := s.env.get("PATH"); sought || len(c.assign) > 0 || w.renames() {
		return nil
	}
	switch c.words[0].Text {
	case "find":
		return w.foundByFind(c)
	case "fd", "fdfind":
		return w.foundByFd(c)
	case "grep", "rg":
		if found := c.foundByGrep(); found != nil {
			return found
		}
	case "ls":
		return c.listed()
	case "git":
		return c.tracked()
	}
	if in != nil && c.selects() {
		return in.found
	}
	return nil
}

// printers are the words of find that print something else, do more than to print, or find what a
// file lists.
var printers = []string{"-printf", "-ls", "-fls", "-fprint", "-fprint0", "-fprintf", "-exec",
	"-execdir", "-ok", "-okdir", "-files0-from"}

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

// foundByFd is what fd would put in the place of {}.
func (w *commands) foundByFd(c *call) []command.Arg {
	spec, ok := w.spec("fd")
	if !ok || slices.ContainsFunc(c.words, func(x Word) bool { return !x.Static }) {
		return nil
	}
	u := spec.Match(append(slices.Clip(c.argv), command.Arg{Text: "-x", Static: true},
		command.Arg{Text: "true", Static: true}))
	if len(u.Unknown) > 0 || len(u.Nested) == 0 {
		return nil
	}
	var found []command.Arg
	for _, n := range u.Nested {
		if len(n.Argv) != 2 || n.Argv[0].Text != "true" || !n.Argv[1].Below {
			return nil
		}
		found = append(found, n.Argv[1])
	}
	return found
}

// foundByGrep is what the names are below that grep -rl and rg -l print.
func (c *call) foundByGrep() (found []command.Arg) {
	letters, patterns, options := "", 1, "lLrRiwnsEFPaHIZz"
	if c.words[0].Text == "rg" {
		options = "liwnsFPuaHIL0"
		if slices.ContainsFunc(c.words, func(x Word) bool { return x.Text == "--files" }) {
			patterns, letters = 0, "l"
		}
	}
	for _, word := range c.words[1:] {
		switch {
		case !word.Static:
			return nil
		case word.Text == "--files" && patterns == 0:
		case strings.HasPrefix(word.Text, "--"):
			if !slices.Contains(selecting, strings.SplitAfter(word.Text, "=")[0]) {
				return nil
			}
		case strings.HasPrefix(word.Text, "-"):
			letters += word.Text[1:]
		case patterns > 0:
			patterns--
		default:
			found = append(found, command.Arg{Text: word.Text, Below: true})
		}
	}
	names := strings.Contains(letters, "l") || options[1] == 'L' && strings.Contains(letters, "L")
	if strings.Trim(letters, options) != "" || !names {
		return nil
	}
	if len(found) == 0 && (c.words[0].Text == "rg" || strings.ContainsAny(letters, "rR")) {
		found = []command.Arg{{Text: ".", Below: true}}
	}
	return found
}

// selecting are long options of grep and rg that choose what is searched.
var selecting = []string{"--exclude=", "--exclude-dir=", "--fixed-strings", "--glob=", "--hidden",
	"--ignore-case", "--include=", "--no-ignore", "--type="}

// listed are the patterns whose matches ls prints as they are, and with -d the names.
func (c *call) listed() []command.Arg {
	var found []command.Arg
	names := false
	for i, word := range c.words[1:] {
		switch {
		case word.Static && strings.HasPrefix(word.Text, "-") &&
			strings.Trim(word.Text, "-1adtrSUA") == "":
			names = names || strings.Contains(word.Text, "d")
		case word.Static && names && word.Text != "":
			found = append(found, command.Arg{Text: word.Text, Below: true})
		case word.Glob:
			found = append(found, c.argv[i+1])
		default:
			return nil
		}
	}
	return found
}

// tracked is what git ls-files prints, if it prints the names below this folder and nothing else.
func (c *call) tracked() []command.Arg {
	if len(c.words) < 2 || c.words[1].Text != "ls-files" {
		return nil
	}
	for _, word := range c.words[1:] {
		switch {
		case !word.Static && !word.Glob, strings.HasPrefix(word.Text, ":"),
			strings.Contains(word.Text, ".."):
			return nil
		case strings.HasPrefix(word.Text, "-") && strings.Trim(word.Text, "-cdmoz") != "" &&
			!slices.Contains(tracking, word.Text):
			return nil
		}
	}
	return []command.Arg{{Text: ".", Below: true}}
}

// tracking are options of git ls-files that choose names.
var tracking = []string{"--cached", "--deleted", "--exclude-standard", "--modified", "--others"}

// selects reports whether a filter prints some of the lines that it reads, and reads no file. It
// has options of one letter that change nothing about that, the pattern of grep, or a number behind
// -n.
func (c *call) selects() bool {
	program, options := c.words[0].Text, ""
	switch program {
	case "grep":
		options = "-vEFiwxz"
	case "head", "tail":
		options = "-nz+0123456789"
	case "shuf":
		options = "-nz"
	case "sort":
		options = "-nruz"
	case "uniq":
		options = "-iuz"
	default:
		return false
	}
	operands, number := 0, false
	for _, word := range c.words[1:] {
		isNumber := number && strings.Trim(word.Text, "+-0123456789") == ""
		number = word.Text == "-n" && program != "sort"
		switch {
		case !word.Static:
			return false
		case isNumber:
		case !strings.HasPrefix(word.Text, "-"):
			operands++
		case strings.Trim(word.Text, options) != "":
			return false
		}
	}
	if program == "grep" {
		return operands == 1
	}
	return operands == 0
}

// asFound reports whether xargs(1) gives the names as they are found, and does not cut them.
func (c *call) asFound(n command.Nested) bool {
	delimits := false
	for _, word := range c.words[1:max(1, min(n.Arg, len(c.words)))] {
		text, isOption := strings.CutPrefix(word.Text, "-")
		text = strings.TrimPrefix(text, "-delimiter=")
		switch {
		case !word.Static:
			return false
		case delimits, isOption && strings.HasPrefix(word.Text, "--d"):
			if text != `\n` && text != `\0` {
				return false
			}
			delimits = false
		case text == "d" && isOption:
			delimits = true
		case isOption && strings.HasPrefix(text, "d") && text != `d\n` && text != `d\0`:
			return false
		}
	}
	return !delimits
}
