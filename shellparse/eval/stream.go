package eval

import (
	"slices"
	"strings"
)

func (f *stream) origin() Source {
	if f == nil {
		return Literal
	}
	return f.source()
}

// then is f with g behind it. It is as bad as the worse of the two; two files that exist
// already stay files that exist.
func (f *stream) then(g *stream) *stream {
	switch {
	case f == nil || g == nil:
		if f == nil {
			f = g
		}
		return f
	case f.from == Literal && g.from == Literal:
		v := append(slices.Clip(f.val), g.val...)
		if len(v) > maxParts {
			v = unknown("more output than is followed", v.from())
		}
		return &stream{from: Literal, val: v}
	}
	both := &stream{from: worse(f.source(), g.source()), why: f.why,
		endless: f.endless || g.endless, names: f.names && g.names}
	switch {
	case f.name == environmentName || g.name == environmentName:
		both.name = environmentName
	case f.from == File && g.from == File && f.name != "" && g.name != "":
		if both.name = f.name; len(f.name) < maxReason {
			both.name += " " + g.name
		}
	}
	switch {
	case f.why != g.why && (f.trusted() || g.trusted()): // the whole is no such output
		both.why = "the output of several commands"
	case both.why == "":
		both.why = g.why
	case g.why != "" && g.why != both.why && len(both.why) < maxReason:
		both.why += ", and " + g.why
	}
	return both
}

// trusted reports whether a flow is the output of a program that is believed.
func (f *stream) trusted() bool { return f.why == whySettings || f.why == whyTools }

// maxReason bounds reasons and names that are put together; a person reads the first of many.
const maxReason = 1 << 10

// inputNames are names of the standard input.
var inputNames = []string{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}

// endlessSource reports whether bytes come from a device that never ends.
func endlessSource(f *stream) bool {
	switch f.name {
	case "/dev/zero", "/dev/urandom", "/dev/random", "/dev/full":
		return f.from == File
	}
	return false
}

// whySettings is why the output of brew shellenv is not known: it is as trustworthy as the
// program, which would have run anyway.
const whySettings = "settings that the program makes for the shell"

// whyTools is why the folder is not known into which a language puts the programs that its user
// installs: such a folder is the user's choice.
const whyTools = "it is where a language keeps its programs"

// environmentName is the name of the flow that holds the environment of the caller.
const environmentName = "$"

// printed is the value of a substitution that prints f: without the newlines at its end.
func (f *stream) printed() value {
	if f == nil {
		return known("")
	}
	if f.from != Literal {
		why := f.why
		if why == "" {
			why = "the output of a command"
		}
		v := unknown(why, f.from).named(f)
		v[0].nums = f.digits == onlyDigits
		if len(f.found) == 1 && f.found[0].Below {
			return foundAs(f.found[0])
		}
		return v
	}
	v := append(value(nil), f.val...)
	for len(v) > 0 {
		last := &v[len(v)-1]
		if !last.known() {
			break
		}
		last.text = strings.TrimRight(last.text, "\n")
		if last.text != "" || len(v) == 1 {
			break
		}
		v = v[:len(v)-1]
	}
	if len(v) == 0 {
		return known("")
	}
	return v
}

func executed(from Source, f *stream) string {
	switch from {
	case Network:
		return "what is executed comes from the network"
	case Decoded:
		return "what is executed is decoded at run time"
	}
	if f != nil && f.why != "" {
		return "what is executed is not known: " + f.why
	}
	return "what is executed is not known"
}

func codeSource(v value) Source {
	if from := v.from(); from != Literal {
		return from
	}
	return Unknown
}

// behind returns the flow of a process substitution.
func behind(v value) *stream {
	if len(v) == 1 {
		return v[0].flow
	}
	return nil
}

// whole returns the text of a flow that is completely known.
func (f *stream) whole() (string, bool) {
	if f == nil || f.from != Literal {
		return "", false
	}
	return f.val.text()
}

// source returns the origin of the bytes, that of nil being the caller's own input.
func (f *stream) source() Source {
	if f == nil {
		return Stdin
	}
	if f.from == Literal {
		return f.val.from()
	}
	return f.from
}

func (f *stream) equal(g *stream) bool {
	if f == nil || g == nil {
		return f == g
	}
	return f.from == g.from && f.name == g.name && f.names == g.names &&
		slices.Equal(f.val, g.val) && slices.Equal(f.found, g.found)
}
