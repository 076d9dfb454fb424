package eval

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/code"
	"github.com/tada-run/tada-run/shellparse/command"
)

// use turns what the table says of a command into effects, hazards and nested commands.
func (w *commands) use(s *state, c *call, u command.Use, name string) {
	in := s // in the directory that the program changes to
	if u.Dir != nil {
		v := w.fromArg(c, u.Dir.Arg, u.Dir.Word())
		there := *s
		there.dir, there.near = w.within(s, c, *u.Dir), w.dirPattern(s, v)
		in = &there
		w.effect(s, Effect{Right: command.Read, Flags: command.List, Name: w.name(s, v),
			Span: c.at(u.Dir.Arg)})
	}
	c.fetches = slices.ContainsFunc(u.Hosts,
		func(h command.Host) bool { return !loopback(h.Host) })
	worst := map[int]Place{}
	for _, t := range u.Touches {
		w.touch(s, c, t, in, name, worst)
	}
	for _, l := range u.Lists {
		w.nameList(s, c, l, in.dir)
	}
	w.hosts(s, c, u.Hosts)
	for _, h := range u.Hazards {
		if !s.guess || len(c.args) > 1 {
			w.tableHazard(h, c.at(h.Arg))
		}
	}
	for _, a := range u.Assign {
		w.environ(s, a.Name, w.fromArg(c, a.Arg, a.Value), c.at(a.Arg))
	}
	for _, i := range u.Unknown {
		w.opaque(s, InOption, "an option that is not known", c.at(i))
	}
	for i, o := range u.Opaque {
		if o.Arg >= 0 && o.Arg < len(c.args) && (o.Quiet || o.Option && w.isName(c, u, o.Arg)) &&
			!planted(c.args[o.Arg].from()) {
			u.Opaque[i].Right = optional
		}
		setWorst(worst, o.Arg, placeOf(u.Opaque[i].Right))
	}
	if isShell(name) {
		w.shellOptions(s.fork(), c, dialectOf(name))
	}
	nested := map[int]bool{}
	for _, n := range u.Nested {
		nested[n.Arg] = true
		w.start(s, c, n, u, in.dir, name)
	}
	names := namesOf(c, u)
	w.unknownWords(s, c, u, worst, nested, names)
	for i := range c.words {
		if c.words[i].Glob && !names[i] {
			w.listed(s, c.args[i], c.at(i))
		}
	}
	w.secrets(s, c, u)
	if c.gone && (u.StdinCode != "" || isShell(name)) {
		w.suspect(nil, languageOf(name), true, c.span)
	}
	w.project(s, c, u, in)
	w.collected(s, c, in)
	if lang, given := strings.CutSuffix(u.StdinCode, "?"); lang != "" && (!given || s.in != nil) {
		w.runsWith(s, s.in, lang, c.span, nil, len(c.args) == 1)
	}
	if u.Data != "" {
		w.takesIn(s, c, u)
	}
	w.output(s, c, u)
}

// takesIn adds the files that data names which a program reads, where the text has the data. What
// was fetched decides what the program starts.
func (w *commands) takesIn(s *state, c *call, u command.Use) {
	f := w.readBy(s, c, u)
	if planted(f.source()) {
		w.runs(s, f, u.Data, c.span)
	}
	text, ok := f.whole()
	if !ok {
		return
	}
	facts, _ := code.Scan(u.Data, text)
	for _, f := range facts {
		w.fact(s, f, u.Data, c.span)
	}
}

// project is the file that a build tool executes by itself. That of the directory which the
// whole text starts in is the caller's choice; that of another is an effect.
func (w *commands) project(s *state, c *call, u command.Use, in *state) {
	if u.Project == "" || in.dir == "" && in.near == "" || s.remote {
		return
	}
	for name := range strings.SplitSeq(u.Project, "|") {
		v := known(name)
		if in.dir == w.o.Dir {
			w.planted(s, v, c)
			continue
		}
		w.effect(s, Effect{Right: command.Read, Flags: command.Source, Name: w.name(in, v),
			Span: c.span})
		if f := w.made(in, v); f != nil && (!declares(name) || planted(f.flow.source())) {
			w.runs(s, &f.flow, languageOf(base(c.words[0].Text)), c.span)
		}
	}
}

// declares reports whether a project's file only says what containers are made of: where the text
// has it, what it runs is shown, and runs in them.
func declares(name string) bool {
	return name == "Dockerfile" || strings.Contains(name, "compose")
}

// planted is the file of a build tool where the same text has just written it, or put it from
// elsewhere, as a patch or an archive does: then it is not the user's choice.
func (w *commands) planted(s *state, v value, c *call) {
	f := w.made(s, v)
	if f == nil {
		return
	}
	lang := languageOf(base(c.words[0].Text))
	_, ok := f.flow.whole()
	added := f.flow.from == File && f.flow.name == "" // to a file that was there
	if planted(f.flow.source()) || (ok || added) && lang == "make" {
		w.runs(s, &f.flow, lang, c.span)
	}
}

// unknownWords names each word that is not known, with the worst that it decides.
func (w *commands) unknownWords(s *state, c *call, u command.Use, worst map[int]Place,
	nested map[int]bool, names []bool) {
	for _, o := range u.Opaque {
		if o.Arg >= 0 && o.Arg < len(c.words) &&
			(c.words[o.Arg].Static || c.words[o.Arg].Glob || c.argv[o.Arg].Below) {
			w.opaque(s, placeOf(o.Right), o.Why, c.at(o.Arg))
		}
	}
	for i, word := range c.words {
		if i == 0 || word.Static || word.Glob || nested[i] || c.argv[i].Below {
			continue
		}
		place, ok := worst[i]
		if c.args[i][0].kind == account && c.args[i][1:].word().Static && names[i] {
			continue // the account is in the name of the effect
		}
		if !ok {
			place = InData
			if first := c.args[i][0]; first.kind == open && !u.ReadOnly {
				place = InOption
			}
		}
		w.opaque(s, place, word.Why, c.at(i))
	}
}

// touch adds the effect of one name, which may be one in another directory.
func (w *commands) touch(s *state, c *call, t command.Touch, in *state, program string,
	worst map[int]Place) {
	v := w.fromArg(c, t.Arg, t.Word())
	f := behind(v)
	if f == nil {
		f = s.descriptor(v)
	}
	if f != nil {
		if t.Flags&command.Source != 0 {
			w.runsWith(s, f, languageOf(program), c.at(t.Arg), c.args[min(t.Arg+1, len(c.args)):],
				t.Arg >= 0)
		}
		return
	}
	at := s
	if t.InDir {
		at = in
	}
	name := w.name(at, v)
	if last := cmp.Or(t.Base, v.lastName()); last != "" && t.Right == command.Read &&
		t.Flags&(command.List|command.Meta|command.Uses) == 0 && catalog.SecretFile(last) {
		w.listedHazard("secret.print", c.at(t.Arg))
	}
	w.reaches(s, Effect{Right: t.Right, Flags: t.Flags, Name: name, Base: t.Base,
		Span: c.at(t.Arg)})
	if n, own := ownDescriptor(name.key()); own && n != "0" {
		w.outputByProgram(t.Right)
	}
	if !name.Static && !name.Glob && name.User == "" {
		setWorst(worst, t.Arg, placeOf(t.Right))
	}
	if place := placeOf(t.Right); place <= InWrite && v.cut() {
		w.opaque(s, place, "a name that matches the pattern is cut at its blanks", c.at(t.Arg))
	}
	w.remembered(s, c, t, v, program)
}

// host adds a place in the network.
func (w *commands) host(s *state, c *call, h command.Host, upload bool) {
	var flags command.Flags
	e := Endpoint{Scheme: h.Scheme, Host: h.Host, Port: h.Port, Static: h.Static, Upload: upload}
	if e.Upload {
		flags = command.Upload
	}
	remote := *s
	remote.remote = false
	w.effect(&remote, Effect{Right: command.Net, Flags: flags, Net: &e, Span: c.at(h.Arg)})
	if !h.Static {
		w.opaque(s, InHost, "which host is contacted is not known", c.at(h.Arg))
	} else if h.Built && !loopback(h.Host) {
		w.opaque(s, InHost, "the address is made at run time and could carry anything out",
			c.at(h.Arg))
	}
}

// hosts are those that a command contacts. The words themselves may carry something out: an address
// that is made at run time, or of a name whose value the text does not say, or the value of a
// secret.
func (w *commands) hosts(s *state, c *call, list []command.Host) {
	if len(list) == 0 {
		return
	}
	// Once for all of them: a line can name as many hosts as it has words.
	secret := slices.ContainsFunc(c.args, func(v value) bool { return v.is(ofSecret) })
	silent := slices.ContainsFunc(list, func(h command.Host) bool { return h.Input }) &&
		w.saysNothing(s.in)
	for _, h := range list {
		made := h.Built || h.Arg > 0 && h.Arg < len(c.args) && c.args[h.Arg].is(notSet)
		w.host(s, c, h, h.Upload && !(h.Input && silent) || !loopback(h.Host) && (made || secret))
	}
}

// saysNothing reports whether bytes carry nothing of this machine: there are none, or they only
// end a conversation. A text with variables may be empty here and not in the shell that it is
// meant for, and a wrapper may give its own input to what it starts, or not.
func (w *commands) saysNothing(f *stream) bool {
	if w.nested > 0 || len(w.via) > 0 {
		return false
	}
	if f != nil && f.from == File && f.name == "/dev/null" {
		return true
	}
	text, ok := f.whole()
	switch strings.TrimSpace(text) {
	case "", "Q", "QUIT", "quit":
		return ok && !strings.ContainsAny(w.out.Text, "$`")
	}
	return false
}
