package eval

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/command"
	"github.com/tada-run/tada-run/shellparse/filter"
)

// decoded writes what a filter makes of text that is known, and reports whether it could.
// That the text was hidden stays with it.
func (w *commands) decoded(s *state, c *call, in *stream) bool {
	program := base(c.words[0].Text)
	decode := filter.Of(program)
	text, ok := in.whole()
	if decode == nil || !Follows(program) || !ok || len(text) > filter.MaxOutput {
		return false
	}
	var args []string
	for i, word := range c.words[1:] {
		switch {
		case !word.Static:
			return false
		case word.Text == "-" || behind(c.args[i+1]) != nil || s.descriptor(c.args[i+1]) != nil ||
			w.made(s, c.args[i+1]) != nil:
			// It is in the text already.
		default:
			args = append(args, word.Text)
		}
	}
	out, ok := decode(args, text)
	if !ok || len(out) > filter.MaxOutput {
		return false
	}
	v := known(out)
	if out != text || in.val.is(disguised) {
		v = v.said(disguised)
	}
	w.write(s, &stream{from: Literal, val: v})
	return true
}

// output is what a program writes to its standard output.
func (w *commands) output(s *state, c *call, u command.Use) {
	if !s.capture {
		return
	}
	if v, ok := w.predictable(s, c); ok {
		w.write(s, &stream{from: Literal, val: v})
		return
	}
	in := w.readBy(s, c, u)
	endless := &stream{from: File, name: "/dev/zero", why: "bytes without end", endless: true}
	if endlessSource(in) {
		in = endless
		if u.Filter == "" {
			w.write(s, in)
			return
		}
	}
	switch u.Filter {
	case command.FilterEnvironment:
		w.write(s, &stream{from: Unknown, name: environmentName, why: "the environment"})
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
		w.write(s, &stream{from: from, why: "the output of " + c.words[0].Text,
			names: in != nil && in.names || lists(c), digits: w.digits(c, in),
			found: w.found(s, c, in)})
	case command.FilterDecode:
		if w.decoded(s, c, in) {
			return
		}
		w.write(s, &stream{from: worse(Decoded, in.source()), why: "the output of " +
			c.words[0].Text})
	case command.FilterSettings:
		w.write(s, &stream{from: File, name: c.words[0].Text, why: whySettings})
	case command.FilterFetch:
		w.write(s, &stream{from: Network, why: "what " + c.words[0].Text + " downloads"})
	default:
		for _, h := range u.Hosts {
			if !h.Upload {
				w.write(s, &stream{from: Network, why: "what " + c.words[0].Text + " receives"})
				return
			}
		}
		if w.printsTools(s, c) {
			w.write(s, &stream{from: Unknown, why: whyTools, names: lists(c)})
		} else if !onlyWraps(u) {
			w.write(s, &stream{from: Unknown, why: "the output of " + c.words[0].Text,
				names: lists(c), digits: w.digits(c, nil), found: w.found(s, c, nil)})
		}
	}
}

// predictable is the output of the programs whose words alone decide it.
func (w *commands) predictable(s *state, c *call) (value, bool) {
	if base(c.words[0].Text) == "mktemp" {
		return w.temporary(s, c)
	}
	if v, ok := c.nameOutput(); ok {
		return v, true
	}
	return c.printed()
}

// readBy is what a filter reads: the files among its words one after the other, and its
// standard input where there is a dash or nothing.
func (w *commands) readBy(s *state, c *call, u command.Use) *stream {
	// by word: a look at every touch for every word would take the square of the time
	files := map[int][]*stream{}
	for _, i := range u.Nameless {
		files[i] = append(files[i], &stream{from: File, why: "a file without a name"})
	}
	for _, t := range u.Touches {
		if t.Arg > 0 && t.Right == command.Read && t.Flags&command.List == 0 {
			files[t.Arg] = append(files[t.Arg], w.fileRead(s, c, t))
		}
	}
	var in *stream
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

// fileRead is what is in a file that a filter reads.
func (w *commands) fileRead(s *state, c *call, t command.Touch) *stream {
	v := w.fromArg(c, t.Arg, t.Word())
	if f := behind(v); f != nil {
		return f
	}
	if f := s.descriptor(v); f != nil {
		return f
	}
	if made := w.made(s, v); made != nil {
		return &made.flow
	}
	return &stream{from: File, name: v.display(), why: "the content of a file"}
}

// secrets finds commands that print an environment with secrets, or pick secrets out of one.
func (w *commands) secrets(s *state, c *call, u command.Use) {
	if s.filled && u.Filter == command.FilterEnvironment && len(u.Nested) == 0 &&
		(c.bare() || base(c.words[0].Text) == "printenv") {
		w.listedHazard("secret.print", c.span)
		return
	}
	if s.in == nil || s.in.name != environmentName {
		return
	}
	for i := 1; i < len(c.words); i++ {
		if catalog.SecretName(c.words[i].Text) {
			w.listedHazard("secret.print", c.at(i))
			return
		}
	}
}

// bare reports whether a command has nothing but options and assignments behind its name.
func (c *call) bare() bool {
	return !slices.ContainsFunc(c.words[1:], func(x Word) bool {
		return !strings.HasPrefix(x.Text, "-") && !strings.Contains(x.Text, "=")
	})
}

// onlyWraps reports whether all that a program writes comes from the one command that it
// starts, which has been followed.
func onlyWraps(u command.Use) bool {
	return len(u.Nested) == 1 && u.Nested[0].Code == nil && !u.Nested[0].Possible &&
		!u.Nested[0].Remote && len(u.Touches) == 0 && len(u.Hosts) == 0
}

// temporary is the name that mktemp(1) prints: one that matches a pattern, and that no file
// had before. Each call makes another one.
func (w *commands) temporary(s *state, c *call) (value, bool) {
	dir, template, inDir := known("/tmp"), "tmp.XXXXXXXXXX", true
	if v, ok := w.lookup(s, "TMPDIR"); ok && w.o.Vars != nil {
		dir = v.val
	}
	c, suffix, ok := c.withoutSuffix()
	letters, values, i := c.options("p")
	if !ok || strings.Contains(letters, "-") || i < len(c.words)-1 {
		return nil, false
	}
	if i < len(c.words) {
		template, inDir = c.words[i].Text, strings.ContainsAny(letters, "tp")
		if !c.words[i].Static || !strings.Contains(template, "XXX") {
			return nil, false
		}
	}
	if v, ok := values['p']; ok {
		dir = v
	}
	text, fine := dir.text()
	if !fine || text == "" {
		return nil, false
	}
	if inDir {
		template = strings.TrimRight(text, "/") + "/" + template
	}
	stem := strings.TrimRight(template, "X")
	if stem == template {
		return nil, false
	}
	chosen := part{kind: pattern, text: strings.Repeat("?", len(template)-len(stem))}
	switch w.temporaries++; {
	case w.temporaries == 1:
		chosen.made = chosen.text
	case w.temporaries < 10:
		chosen.made = chosen.text[1:] + strconv.Itoa(w.temporaries)
	}
	return value{{text: stem}, chosen, {text: suffix + "\n"}}, true
}

// withoutSuffix is a call of mktemp(1) without the option --suffix=TEXT, and that text.
func (c *call) withoutSuffix() (*call, string, bool) {
	for i := 1; i < len(c.words); i++ {
		if suffix, ok := strings.CutPrefix(c.words[i].Text, "--suffix="); ok {
			d := *c
			d.words = slices.Delete(slices.Clone(c.words), i, i+1)
			d.args = slices.Delete(slices.Clone(c.args), i, i+1)
			return &d, suffix, c.words[i].Static && !strings.Contains(suffix, "/")
		}
	}
	return c, "", true
}

// digits is digitsOf, unless the text gives any command another name.
func (w *commands) digits(c *call, in *stream) digits {
	known := digitsOf(c, in)
	if known != anything && w.renames() {
		return anything
	}
	return known
}
