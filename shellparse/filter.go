package shellparse

import (
	"slices"

	"github.com/tada-run/tada-run/shellparse/command"
)

// output is what a program writes to its standard output.
func (w *walker) output(s *state, c *call, u command.Use) {
	if !s.capture {
		return
	}
	if v, ok := w.foretold(s, c); ok {
		w.write(s, &flow{from: Literal, val: v})
		return
	}
	in := w.readBy(s, c, u)
	endless := &flow{from: File, name: "/dev/zero", why: "bytes without end", endless: true}
	if endlessSource(in) {
		in = endless
		if u.Filter == "" {
			w.write(s, in)
			return
		}
	}
	switch u.Filter {
	case command.FilterEnvironment:
		w.write(s, &flow{from: Unknown, name: environmentName, why: "the environment"})
	case command.FilterEndless:
		w.write(s, endless)
	case command.FilterCopy:
		w.write(s, in)
	case command.FilterTransform:
		if w.decoded(s, c, in) {
			return
		}
		from := in.source()
		if from == Literal {
			from = Decoded // known text that a filter has made into another
		}
		w.write(s, &flow{from: from, why: "the output of " + c.words[0].Text, names: in != nil && in.names || lists(c)})
	case command.FilterDecode:
		if w.decoded(s, c, in) {
			return
		}
		w.write(s, &flow{from: worse(Decoded, in.source()), why: "the output of " + c.words[0].Text})
	case command.FilterSettings:
		w.write(s, &flow{from: File, name: c.words[0].Text, why: whySettings})
	case command.FilterFetch:
		w.write(s, &flow{from: Network, why: "what " + c.words[0].Text + " downloads"})
	default:
		for _, h := range u.Hosts {
			if !h.Upload {
				w.write(s, &flow{from: Network, why: "what " + c.words[0].Text + " receives"})
				return
			}
		}
		if !onlyWraps(u) {
			w.write(s, &flow{from: Unknown, why: "the output of " + c.words[0].Text, names: lists(c)})
		}
	}
}

// foretold is the output of the programs whose words alone tell it.
func (w *walker) foretold(s *state, c *call) (value, bool) {
	if base(c.words[0].Text) == "mktemp" {
		return w.temporary(s, c)
	}
	if v, ok := c.nameOutput(); ok {
		return v, true
	}
	return c.printed()
}

// readBy is what a filter reads: the files among its words one after the other, and its
// standard input where a dash stands or nothing does.
func (w *walker) readBy(s *state, c *call, u command.Use) *flow {
	files := map[int][]*flow{} // by word: a look at every touch for every word would take the square of the time
	for _, i := range u.Nameless {
		files[i] = append(files[i], &flow{from: File, why: "a file without a name"})
	}
	for _, t := range u.Touches {
		if t.Arg > 0 && t.Right == command.Read && t.Flags&command.List == 0 {
			files[t.Arg] = append(files[t.Arg], w.fileRead(s, c, t))
		}
	}
	var in *flow
	for i := 1; i < len(c.args); i++ {
		if c.words[i].Static && c.words[i].Text == "-" {
			in = in.then(s.input())
		}
		for _, f := range files[i] {
			in = in.then(f)
		}
	}
	if in == nil {
		return s.input()
	}
	return in
}

// fileRead is what stands in a file that a filter reads.
func (w *walker) fileRead(s *state, c *call, t command.Touch) *flow {
	v := w.fromArg(c, t.Arg, command.Arg{Text: t.Text, Static: t.Static, Glob: t.Glob})
	if f := behind(v); f != nil {
		return f
	}
	if f := s.descriptor(v); f != nil {
		return f
	}
	if made := w.made(s, v); made != nil {
		return &made.flow
	}
	return &flow{from: File, name: v.display(), why: "the content of a file"}
}

// maxParts bounds the pieces of one output.
const maxParts = 256

// then is f with g behind it. It is as bad as the worse of the two; two files that exist
// already stay files that exist.
func (f *flow) then(g *flow) *flow {
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
		return &flow{from: Literal, val: v}
	}
	both := &flow{from: worse(f.source(), g.source()), why: f.why, endless: f.endless || g.endless, names: f.names && g.names}
	switch {
	case f.name == environmentName || g.name == environmentName:
		both.name = environmentName
	case f.from == File && g.from == File && f.name != "" && g.name != "":
		if both.name = f.name; len(f.name) < maxReason {
			both.name += " " + g.name
		}
	}
	if both.why == "" {
		both.why = g.why
	} else if g.why != "" && g.why != both.why && len(both.why) < maxReason {
		both.why += ", and " + g.why
	}
	return both
}

// maxReason bounds reasons and names that are put together; a person reads the first of many.
const maxReason = 1 << 10

// endlessSource reports whether bytes come from a device that never ends.
func endlessSource(f *flow) bool {
	switch f.name {
	case "/dev/zero", "/dev/urandom", "/dev/random", "/dev/full":
		return f.from == File
	}
	return false
}

// whySettings is why the output of brew shellenv is not known: it is as trustworthy as the
// program, which would have run anyway.
const whySettings = "settings that the program makes for the shell"

// environmentName is the name of the flow that holds the environment of the caller.
const environmentName = "$"

// secrets finds commands that pick secrets out of the environment.
func (w *walker) secrets(s *state, c *call) {
	if s.in == nil || s.in.name != environmentName {
		return
	}
	for i := 1; i < len(c.words); i++ {
		if command.Secret(c.words[i].Text) {
			h, _ := command.LookupHazard("secret.print")
			w.hazard(Hazard{Rule: h.Rule, Risk: h.Risk, Message: h.Message, Span: c.at(i)})
			return
		}
	}
}

// onlyWraps reports whether all that a program writes comes from the one command that it
// starts, which has been followed.
func onlyWraps(u command.Use) bool {
	return len(u.Nested) == 1 && u.Nested[0].Code == nil && !u.Nested[0].Possible && !u.Nested[0].Remote && len(u.Touches) == 0 && len(u.Hosts) == 0
}
