package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/command"
)

// environ says what giving a variable to programs causes.
func (w *commands) environ(s *state, name string, v value, span Span) {
	e := catalog.Variable(name)
	kind, param := e.First()
	switch kind {
	case "history":
		w.unrecorded("changes what the shell records of its lines", span)
		return
	case "", "harmless", "passes", "removed", "secret", "caller", "call":
		return
	}
	text, ok := v.text()
	if ok && strings.TrimSpace(text) == "" {
		return
	}
	child := s.fork()
	child.capture, child.in, child.out = false, nil, nil
	defer func(via []string) { w.via = via }(w.via)
	w.via = append(w.via[:len(w.via):len(w.via)], name)
	switch kind {
	case "runs":
		if ok && name == "LESSOPEN" {
			// a bar in front says that its output is read, a dash that standard input is too
			v = known(strings.TrimLeft(text, "|-"))
		}
		w.shellArg(child, v, span, name)
	case "starts", "options":
		w.wordsOf(child, name, param, v, span)
	case "sources":
		if f := behind(v); f != nil {
			w.runs(child, f, "sh", span)
			return
		}
		if ok {
			w.second(s, text) // bash expands BASH_ENV and ENV before it takes them for a name
		}
		w.effect(s, Effect{Right: command.Read, Flags: command.Source, Name: w.name(s, v),
			Span: span})
		w.unknownValue(s, InCode, name, v, span)
	case "loads":
		w.loading(s, name, v, span)
	case "searches":
		w.searching(s, e, name, v, span)
	case "prompts":
		if ok {
			w.second(s, text)
		}
		w.unknownValue(s, InCode, name, v, span)
	case "places":
		w.effect(s, Effect{Right: command.Write, Flags: command.Recursive, Name: w.name(s, v),
			Span: span})
		w.unknownValue(s, InWrite, name, v, span)
	case "configures":
		if !ok || strings.Contains(text, param) {
			w.hazard(Hazard{Rule: "env.config", Risk: 2,
				Message: "changes settings that can name programs to run: " + name, Span: span})
		}
	case "writes":
		if strings.Contains(text, "/") || !ok {
			w.effect(s, Effect{Right: command.Write, Flags: command.Append, Name: w.name(s, v),
				Span: span})
		}
	case "trusts":
		w.effect(s, Effect{Right: command.Read, Name: w.name(s, v), Span: span})
		if !ok || !strings.HasPrefix(text, "/etc/") && !strings.HasPrefix(text, "/usr/") {
			w.hazard(Hazard{Rule: "env.config", Risk: 2,
				Message: "believes other certificates than those of the system: " + name,
				Span:    span})
		}
	case "proxies", "contacts":
		w.reaching(s, name, v, span)
	}
}

// reaching is the host that a client is to contact, or go through.
func (w *commands) reaching(s *state, name string, v value, span Span) {
	_, ok := v.text()
	e := endpoint(strings.SplitN(v.prefix(), ",", 2)[0])
	if name == "GOPROXY" && !strings.Contains(moduleProxies, " "+e.Host+" ") {
		w.hazard(Hazard{Rule: "env.config", Risk: 2,
			Message: "takes modules from another place than usual: " + e.Host, Span: span})
	}
	if e.Host == "direct" || e.Host == "off" || strings.HasPrefix(v.prefix(), "/") {
		return // the last is a socket of this machine (PGHOST)
	}
	e.Static = e.Static && ok
	e.Upload = name != "GOPROXY" // everything goes through it
	var flags command.Flags
	if e.Upload {
		flags = command.Upload
	}
	w.effect(s, Effect{Right: command.Net, Flags: flags, Net: &e, Span: span})
}

func (w *commands) unknownValue(s *state, place Place, name string, v value, span Span) {
	if _, ok := v.text(); !ok {
		w.opaque(s, place, "the value of "+name+" is not known: "+v.word().Why, span)
	}
}

// loading is code that every program started from now on takes in.
func (w *commands) loading(s *state, name string, v value, span Span) {
	w.hazard(Hazard{Rule: "env.load", Risk: 2, Message: "makes programs load other code: " + name,
		Span: span})
	w.effect(s, Effect{Right: command.Read, Flags: command.Source, Name: w.name(s, v), Span: span})
	w.unknownValue(s, InCode, name, v, span)
}

// moduleProxies are the places from which Go modules usually come; go.sum says whether they are
// the same from there.
const moduleProxies = " direct off proxy.golang.org goproxy.io goproxy.cn "

// searching is a list of directories. What was on the list before is no change. Interpreters
// look for modules beside the script, or in the working directory, by themselves: that on a
// list of modules is no change either.
func (w *commands) searching(s *state, e catalog.Entry, name string, v value, span Span) {
	if name == "PATH" && looksHere(v) {
		w.hazard(Hazard{Rule: "env.path", Risk: 2,
			Message: "searches the current directory for programs", Span: span})
	}
	if before, ok := w.o.Vars[name]; ok {
		if text, fine := v.text(); fine {
			text = strings.ReplaceAll(":"+text+":", ":"+before+":", ":")
			v = known(strings.Trim(text, ":"))
		}
	}
	flags := command.Source | command.List
	if e.Has("modules") {
		flags = command.Source | command.Recursive
	}
	var dir value
	flush := func() {
		if len(dir) > 0 && !(len(dir) == 1 && dir[0].kind == open) && !dir.ofTools() {
			w.effect(s, Effect{Right: command.Read, Flags: flags, Name: w.name(s, dir), Span: span})
		}
		dir = nil
	}
	for _, p := range v {
		if !p.known() {
			dir = append(dir, p)
			continue
		}
		for i, piece := range strings.Split(p.text, ":") {
			if i > 0 {
				flush()
			}
			if piece != "" {
				dir = append(dir, part{text: piece})
			}
		}
	}
	flush()
}

// ofTools reports whether a value is a folder below one in which a language keeps its programs.
func (v value) ofTools() bool {
	return len(v) > 1 && v[0].kind == open && v[0].why == whyTools && v[1:].whole() &&
		strings.HasPrefix(v[1].text, "/") && !strings.Contains(v[1:].display(), "..")
}

// looksHere reports whether a list of directories has the working directory among them: as
// a dot, or as nothing between two colons.
func looksHere(v value) bool {
	var b strings.Builder
	for _, p := range v {
		if p.known() {
			b.WriteString(p.text)
		} else {
			b.WriteByte('?')
		}
	}
	for dir := range strings.SplitSeq(b.String(), ":") {
		if dir == "" || dir == "." {
			return true
		}
	}
	return false
}

// wordsOf reads a value as words of a command line: those of the program whose options it
// holds, or a program and its arguments.
func (w *commands) wordsOf(s *state, name, program string, v value, span Span) {
	text, ok := v.text()
	if !ok {
		w.opaque(s, InOption, "the value of "+name+" is not known: "+v.word().Why, span)
		return
	}
	if program == "" {
		if c := newCall(knowns(command.Words(text)), nil, span); len(c.args) > 0 {
			c.program = true
			w.interp.invoke(s, c)
		}
		return
	}
	front := strings.Split(program, "+")
	switch first := text[:1]; {
	case first == "-" || first == "+" || first == "@":
	case program == "less" || program == "make" && !strings.Contains(strings.Fields(text)[0], "="):
		text = "-" + text // letters alone are a bundle of options
	case !strings.Contains(text, " -") && !strings.Contains(text, "/"):
		return
	}
	w.optionsOf(s, front, optionWords(program, strings.Fields(text), text), span)
	if strings.ContainsAny(text, `'"\`) { // some programs know quotes here, and others do not
		w.optionsOf(s, front, optionWords(program, command.Words(text), text), span)
	}
	if program == "java" && strings.Contains(text, "jvmargs") {
		w.hazard(Hazard{Rule: "env.config", Risk: 2,
			Message: "changes settings that can name programs to run: " + name, Span: span})
	}
}

// optionWords are the options of a value. In less(1) a command after a plus extends, blanks and
// all, up to a dollar sign or the end.
func optionWords(program string, words []string, text string) []string {
	i := strings.IndexByte(text, '+')
	if program != "less" || i < 0 || i > 0 && text[i-1] != ' ' && text[i-1] != '-' {
		return words
	}
	rest, _, _ := strings.Cut(text[i:], "$")
	return append(strings.Fields(strings.TrimSuffix(text[:i], "-")), rest)
}

// optionsOf finds what the options of a variable do, whatever else is on the line that
// they will be put in front of.
func (w *commands) optionsOf(s *state, front, words []string, span Span) {
	c := newCall(knowns(append(slices.Clip(front), words...)), nil, span)
	spec, _ := w.spec(front[0])
	u := spec.Match(c.argv)
	for _, n := range u.Nested {
		w.start(s, c, n, u, s.dir, front[0])
	}
	for _, h := range u.Hazards {
		w.tableHazard(h, span)
	}
	for _, t := range u.Touches {
		if t.Arg >= len(front) { // not what the program takes when the line names nothing
			w.effect(s, Effect{Right: t.Right, Flags: t.Flags,
				Name: w.nameIn(w.fromArg(c, t.Arg,
					t.Word()), s.dir), Span: span})
		}
	}
}
