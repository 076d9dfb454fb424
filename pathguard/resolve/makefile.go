package resolve

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/code"
	"github.com/tada-run/tada-run/shellparse/command"
)

// makeReadings returns what a command of make would have a shell do: the recipes of its goals and
// of all that they need, as far as it is certain that they are wanted, and what make starts while
// it reads. includes are the makefiles that the text takes in.
func makeReadings(text string, c *shellparse.Command) (list []reading, includes []string) {
	words, ok := makeWords(c)
	if !ok {
		return nil, nil
	}
	facts, _ := code.Make(text, words)
	var m makeScript
	for _, f := range facts {
		switch {
		case f.Right == command.Read && f.Flags&command.Source != 0:
			includes = append(includes, f.Text)
		case f.Shell == "" || f.Maybe:
		default:
			m.add(text, f)
		}
	}
	return m.close(), includes
}

// A makeScript puts the lines of each recipe together as one script.
type makeScript struct {
	list  []reading
	text  strings.Builder
	lines []int
	end   int // of the line before, in the makefile
}

// add puts a line into a subshell, because make starts a shell for each: a cd in it ends with it.
func (m *makeScript) add(text string, f code.Fact) {
	if f.Start < m.end || !goesOn(text[m.end:f.Start]) || m.text.Len() > maxInnerText {
		m.close()
	}
	at := 1 + strings.Count(text[:f.Start], "\n")
	shell := strings.ReplaceAll(f.Shell, code.Unknown, UnknownMake)
	// the bracket on a line of its own, for there may be a comment before it
	m.text.WriteString("(" + shell + "\n)\n")
	for i := range strings.Count(shell, "\n") + 1 {
		m.lines = append(m.lines, at+i)
	}
	m.lines = append(m.lines, at)
	m.end = f.Start
	if n := strings.IndexByte(text[f.Start:], '\n'); n >= 0 {
		m.end += n + 1
	}
}

// goesOn reports whether between two lines of a makefile no rule begins.
func goesOn(between string) bool {
	for line := range strings.Lines(between) {
		if line = strings.TrimRight(line, " \n"); line != "" && line[0] != '\t' && line[0] != '#' {
			return false
		}
	}
	return true
}

func (m *makeScript) close() []reading {
	if m.text.Len() > 0 {
		m.list = append(m.list, reading{lang: "sh", name: "sh", text: m.text.String(),
			lines: m.lines})
	}
	m.text.Reset()
	m.lines = nil
	return m.list
}

// UnknownMake replaces a value that only make knows.
const UnknownMake = "${tada_make}"

// makeWords are the goals and the variables that a command of make is given; false when one of
// its words is not known.
func makeWords(c *shellparse.Command) (words []string, ok bool) {
	for i, w := range c.Args {
		switch {
		case i == 0 || strings.HasPrefix(w.Text, "-"):
		case i > 1 && makeValue(c.Args[i-1].Text, w.Text):
		case !w.Static:
			return nil, false
		default:
			words = append(words, w.Text)
		}
	}
	return words, true
}

// makeValues are the options of make(1) whose value is the next word; that of the last four may be
// missing, and is a number.
var makeValues = []string{"-f", "--file", "--makefile", "-C", "--directory", "-I", "--include-dir",
	"-o", "--old-file", "--assume-old", "-W", "--what-if",
	"--new-file", "--assume-new", "-E", "--eval", "-j", "--jobs", "-l", "--load-average"}

// makeValue reports whether a word is the value of the option in front of it.
func makeValue(option, word string) bool {
	at := slices.Index(makeValues, option)
	return at >= 0 && (at < len(makeValues)-4 || strings.Trim(word, "0123456789.") == "")
}

func isMake(program string) bool { return program == "make" || program == "gmake" }

// makeDir is the directory that a command of make works in: each -C starts where the one before
// it led.
func makeDir(c *shellparse.Command) string {
	dir := c.Dir
	for i := 1; i < len(c.Args); i++ {
		value, ok := strings.CutPrefix(c.Args[i].Text, "--directory=")
		if !ok {
			value, ok = strings.CutPrefix(c.Args[i].Text, "-C")
		}
		if (c.Args[i].Text == "-C" || c.Args[i].Text == "--directory") && i+1 < len(c.Args) {
			value, ok = c.Args[i+1].Text, true
		}
		switch {
		case !ok:
		case strings.HasPrefix(value, "/"):
			dir = value
		default:
			dir = pathname.Join(dir, value)
		}
	}
	return dir
}
