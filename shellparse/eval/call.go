package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// A call is one simple command, ready to run.
type call struct {
	args       []value
	words      []Word        // the same for a reader
	argv       []command.Arg // the same for the command table
	spans      []Span
	assign     []Assign
	span       Span
	plain      bool // it has no assignments
	redirected bool
	gone       bool // a word of the tree was a name without a value, and made none here
	fetches    bool // it contacts another machine
	// what may answer to the name
	noFunction bool // command, builtin
	program    bool // only a program: what a wrapper starts
}

// options returns the words of options at the front as one string of letters, and the index
// of the first operand.
func (c *call) options(withValue string) (letters string, values map[byte]value, first int) {
	for i := 1; i < len(c.words); i++ {
		text := c.words[i].Text
		if !c.words[i].Static || len(text) < 2 || text[0] != '-' {
			return letters, values, i
		}
		if text == "--" {
			return letters, values, i + 1
		}
		for j := 1; j < len(text); j++ {
			letters += text[j : j+1]
			if strings.IndexByte(withValue, text[j]) < 0 {
				continue
			}
			if values == nil {
				values = map[byte]value{}
			}
			if j+1 < len(text) {
				values[text[j]] = known(text[j+1:])
			} else if i+1 < len(c.args) {
				i++
				values[text[j]] = c.args[i]
			}
			break
		}
	}
	return letters, values, len(c.words)
}

// joined returns words with a blank between them.
func joined(args []value) value {
	var v value
	for i, a := range args {
		// Beside what may be no word at all there may be no space either: that is a part of what is
		// not known.
		if i > 0 && !a.vanishes() && !args[i-1].vanishes() {
			v = v.add(part{text: " "})
		}
		if a.patterned() {
			v = append(v, part{kind: open, why: "the names that a pattern matches", from: File})
			continue
		}
		for _, p := range a {
			if p.kind == active {
				p.kind = literal
			}
			p.many = false
			v = v.add(p)
		}
	}
	return v
}

func newCall(args []value, spans []Span, span Span) *call {
	c := &call{args: args, spans: spans, span: span, words: make([]Word, len(args)),
		argv: make([]command.Arg, len(args))}
	for i, v := range args {
		c.words[i] = v.word()
		c.argv[i] = argOf(v, c.words[i])
	}
	return c
}

func argOf(v value, word Word) command.Arg {
	if below, ok := v.foundBelow(); ok {
		return below
	}
	a := command.Arg{Text: word.Text, Static: word.Static, Glob: word.Glob}
	if !a.Static {
		a.Like = v.numbered()
	}
	return a
}

func (c *call) at(i int) Span {
	if i >= 0 && i < len(c.spans) {
		return c.spans[i]
	}
	return c.span
}

// sub is the command that starts at word i of c.
func (c *call) from(i int) *call {
	d := *c
	d.args, d.words, d.argv, d.spans = c.args[i:], c.words[i:], c.argv[i:],
		c.spans[min(i, len(c.spans)):]
	d.program = true
	return &d
}

// toProgram is c where no function answers to its name.
func (c *call) toProgram() *call {
	d := *c
	d.noFunction = true
	return &d
}

// installed is the call by the name alone of a program in a folder in which a language keeps its
// programs, as if the search path had that folder; nil for any other call.
func (c *call) installed() *call {
	if !c.args[0].ofTools() || c.words[0].Glob {
		return nil
	}
	name, inBin := strings.CutPrefix(c.args[0][1:].display(), "/bin/")
	if !inBin || name == "" || strings.Contains(name, "/") {
		return nil
	}
	d := *c
	d.args, d.words, d.argv = slices.Clone(c.args), slices.Clone(c.words), slices.Clone(c.argv)
	d.args[0] = known(name)
	d.words[0] = d.args[0].word()
	d.argv[0] = argOf(d.args[0], d.words[0])
	return &d
}

func knowns(words []string) []value {
	out := make([]value, len(words))
	for i, word := range words {
		out[i] = known(word)
	}
	return out
}

// mapfileValues are the options of mapfile that take a value.
const mapfileValues = "dnOsucC"

// plainLines reports whether mapfile makes an element of each line, as with no option but -t.
func (c *call) plainLines() bool {
	letters, _, _ := c.options(mapfileValues)
	return strings.Trim(letters, "t") == ""
}

// namesOf reports which words of a command hold the name of a file, each word looked at once.
func namesOf(c *call, u command.Use) []bool {
	names := make([]bool, len(c.args))
	for _, t := range u.Touches {
		if t.Arg >= 0 && t.Arg < len(names) {
			names[t.Arg] = true
		}
	}
	return names
}

func setWorst(worst map[int]Place, i int, p Place) {
	if old, ok := worst[i]; !ok || p < old {
		worst[i] = p
	}
}
