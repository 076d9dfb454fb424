package pathguard

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/code"
)

// codes judges programs in other languages by their origin: an attacker would hide in what was just
// fetched or decoded. A program in the text itself is judged by its facts if its reader saw all of
// it. One that could do more would run code that no one was shown, and the sandbox knows places but
// not intent.
func (j *judgement) codes() {
	for i := range j.script.Codes {
		c := &j.script.Codes[i]
		rule := j.code(c)
		if rule != "" {
			lang := c.Lang
			if rule == "code.unknown" && j.afterBuild(c.Command) {
				lang = "newly built"
			}
			j.add(Ask, rule, "", lang, c.Span, c.Command)
		}
		if rule != "" || slices.Contains(harmlessLangs, c.Lang) || code.Worded(c.Lang) {
			j.spelled(c)
		}
	}
}

// spelled finds forbidden names in code that cannot be read. One that is there is meant.
func (j *judgement) spelled(c *shellparse.Code) {
	if c.Source == shellparse.Literal {
		j.spells(c.Text, c.Span, c.Command)
	}
}

// spells finds the names of forbidden places and of secrets in the text of a program.
func (j *judgement) spells(text string, span shellparse.Span, cmd int) {
	for word := range strings.FieldsFuncSeq(text,
		func(r rune) bool { return strings.ContainsRune(" \t\n'\"`()[]{}<>,;|&=", r) }) {
		j.denyName(word, "", span, cmd)
		if strings.HasPrefix(word, "/") && j.marked(word, markSecret) {
			j.add(Ask, "read.secret", word, word, span, cmd)
		}
	}
}

// code returns the rule that asks for a program, or "".
func (j *judgement) code(c *shellparse.Code) string {
	switch {
	case slices.Contains(harmlessLangs, c.Lang):
		return ""
	case c.Source == shellparse.Literal || c.Source == shellparse.File:
		j.contained = true
		switch {
		case !c.Opaque && j.keeps(c), c.Text != "" && printsOnly(c.Text):
			return ""
		case j.talks(c.Command):
			return "code.talks"
		}
		return "code.opaque"
	case c.Source == shellparse.Network:
		return "code.network"
	case c.Source == shellparse.Decoded:
		return "code.decoded"
	case c.Source == shellparse.Stdin:
		return "code.stdin"
	case j.built(c.Command):
		j.contained = true
		return ""
	}
	return "code.unknown"
}

// harmlessLangs can compute, print and read at most: they have no word for a program or a host.
var harmlessLangs = []string{"bc", "hcl"}

// settled reports whether an unknown piece is the code of a command that was judged as code
// already, and found to be no question.
func (j *judgement) settled(o *shellparse.Opaque) bool {
	if o.Place != shellparse.InCode {
		return false
	}
	for i := range j.script.Codes {
		c := &j.script.Codes[i]
		if c.Command == o.Command && c.Span == o.Span &&
			(c.Source == shellparse.Unknown || slices.Contains(harmlessLangs, c.Lang)) {
			return j.code(c) == ""
		}
	}
	return false
}

// told reports whether an unknown piece is code whose origin another reason already reports. That
// reason has at least the same risk, so a rule that lifts it would have lifted the other too.
func (j *judgement) told(o *shellparse.Opaque) bool {
	return o.Place == shellparse.InCode &&
		slices.ContainsFunc(j.script.Codes, func(c shellparse.Code) bool {
			return c.Command == o.Command && c.Span == o.Span &&
				(c.Source == shellparse.Network || c.Source == shellparse.Decoded ||
					c.Source == shellparse.Stdin) && !slices.Contains(harmlessLangs, c.Lang)
		})
}

// talks reports whether a command contacts another machine. Code that can do more than was read is
// worse if it can send data out or receive instructions.
func (j *judgement) talks(cmd int) bool {
	for i := range j.script.Effects {
		if e := &j.script.Effects[i]; e.Command == cmd && leaves(e) {
			return true
		}
	}
	return false
}

// sayings are the words of a program that computes and prints, in languages that nothing
// here reads: julia -e 'println(1+1)'. Those of Julia that run the tests of the project, or say
// what it needs, run nothing that is not there.
var sayings = []string{"print", "disp", "using", "Pkg", "test", "instantiate", "precompile",
	"status", "println", "puts", "putStrLn", "IO", "inspect", "show",
	"VERSION", "System", "version", "Enum", "String", "upcase", "downcase", "reverse", "sort",
	"join", "sqrt", "pi", "abs", "max", "min", "sum", "length", "true", "false"}

// printsOnly reports whether a text is made of numbers, plain strings and sayings alone.
func printsOnly(text string) bool {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case isLetter(c):
			end := i
			for end < len(text) && (isLetter(text[end]) || text[end] >= '0' && text[end] <= '9') {
				end++
			}
			if !slices.Contains(sayings, text[i:end]) {
				return false
			}
			i = end
		case c == '"':
			n := strings.IndexByte(text[i+1:], '"')
			if n < 0 || strings.ContainsAny(text[i+1:i+1+n], "$#\\{`") {
				return false
			}
			i += n + 2
		case strings.IndexByte("0123456789 \t\n+-*/%()[],.;=<>^|", c) >= 0:
			i++
		default:
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// opaqueCells says, by place, what an unknown piece of the text means. If it only decides what is
// read or written, the sandbox contains it.
var opaqueCells = [...]Cell{
	shellparse.InText:    ask("opaque.text"),
	shellparse.InProgram: ask("opaque.program"),
	shellparse.InCode:    ask("opaque.code"),
	shellparse.InDelete:  ask("opaque.delete"),
	shellparse.InWrite:   yes,
	shellparse.InHost:    ask("opaque.host"),
	shellparse.InOption:  yes,
	shellparse.InRead:    yes,
	shellparse.InData:    yes,
}

func (j *judgement) opaque() {
	for i := range j.script.Opaque {
		o := &j.script.Opaque[i]
		cell := ask("opaque.text")
		if o.Place >= 0 && int(o.Place) < len(opaqueCells) {
			cell = opaqueCells[o.Place]
		}
		if o.Place == shellparse.InRead && isDecoded(o.Why) {
			cell = ask("read.decoded")
		}
		if cell.Decision == Allow || j.settled(o) {
			j.contained = true
			continue
		}
		if j.told(o) {
			continue
		}
		detail := o.Text
		if o.Why != "" {
			detail += " (" + o.Why + ")"
		}
		j.add(cell.Decision, cell.Rule, "", detail, o.Span, o.Command)
	}
}

// decoders make a name out of bytes that cannot be read. A name that is computed is an
// everyday thing; one that is hidden is not.
var decoders = []string{"base64", "base32", "basenc", "xxd", "openssl", "rev", "gunzip",
	"zcat", "uudecode", "tr", "od", "gpg"}

func isDecoded(why string) bool {
	program, ok := strings.CutPrefix(why, "the output of ")
	return ok && slices.Contains(decoders, program)
}
