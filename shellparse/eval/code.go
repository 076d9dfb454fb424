package eval

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/tada-run/tada-run/shellparse/code"
	"github.com/tada-run/tada-run/shellparse/command"
)

// runs executes the bytes of a flow as a language, or as a shell of that name: a shell follows them
// as far as they are known, the rest is shown as code.
func (w *commands) runs(s *state, f *stream, lang string, span Span) {
	if f != nil && f.ended {
		return
	}
	if text, ok := f.whole(); ok {
		w.suspect(f.val, languageOf(lang), false, span)
		w.literalCode(s, lang, text, span)
		return
	}
	lang = languageOf(lang)
	from := f.source()
	if from == Literal {
		from = Unknown
	}
	w.code(Code{Lang: lang, Source: from, Span: span})
	switch from {
	case File, Stdin:
		// The caller's own input is his.
		if from == File && f.name == "" {
			w.opaque(s, InCode,
				"what is executed comes from a file that is changed or chosen at run time", span)
		} else if from == File {
			w.sourced(f.name)
		}
	default:
		w.opaque(s, InCode, executed(from, f), span)
	}
}

// runsWith is runs of a script whose arguments are known when certain.
func (w *commands) runsWith(s *state, f *stream, lang string, span Span, args []value,
	certain bool) {
	s.passed, s.passing = args, certain
	w.runs(s, f, lang, span)
	s.passed, s.passing = nil, false
}

// literalCode is a program whose text is known.
func (w *commands) literalCode(s *state, lang, text string, span Span) {
	if isShell(lang) {
		w.shell(s.fork(), lang, text, span)
		return
	}
	if lang == "awk" && !strings.HasPrefix(text, "-") { // the command table reads it
		w.code(Code{Lang: lang, Text: text, Source: Literal, Span: span})
		c := newCall(knowns([]string{"awk", text}), nil, span)
		c.program = true
		w.interp.invoke(s.fork(), c)
		return
	}
	if showsSecret(lang, text) {
		w.listedHazard("secret.print", span)
	}
	if erases(lang, text) {
		w.listedHazard("db.destroy", span)
	}
	var facts []code.Fact
	opaque := false
	if lang == "make" {
		facts, opaque = code.Make(text, w.knownArgs())
	} else {
		facts, opaque = code.Scan(lang, text)
	}
	facts, may := apart(facts)
	w.code(Code{Lang: lang, Text: text, Source: Literal, Opaque: opaque, May: may, Span: span})
	for i, f := range facts {
		wrote := slices.ContainsFunc(facts[:i], func(b code.Fact) bool {
			return b.Right == command.Write && b.Flags == 0 && b.Text == f.Text
		})
		if wrote && f.Right == command.Read && f.Flags&command.Source != 0 &&
			!strings.Contains(text, "dump(") { // it executes what it makes
			w.code(Code{Lang: lang, Text: text, Source: Literal, Opaque: true, Span: span})
		}
		w.fact(s, f, lang, span)
	}
	w.imports(s, lang, text, span)
}

// apart returns the facts that are certain, and the names that what is written may have.
func apart(facts []code.Fact) (certain []code.Fact, may string) {
	var names []string
	for _, f := range facts {
		if f.Maybe && f.Right == command.Write {
			names = append(names, f.Text)
			continue
		}
		certain = append(certain, f)
	}
	slices.Sort(names)
	return certain, strings.Join(slices.Compact(names), "\n")
}

// ranPlanted notes a file that a program executes by its name, if the line has put into it what
// comes from the network, or a text.
func (w *commands) ranPlanted(s *state, f *written, lang string, span Span) {
	if f == nil {
		return
	}
	switch text, ok := f.flow.whole(); {
	case f.flow.from == File && f.flow.name != "":
		w.sourced(f.flow.name)
	case planted(f.flow.source()), ok && path.Ext(f.name) == ".txt":
		w.runs(s, &f.flow, lang, span)
	case ok && path.Ext(f.name) != "."+endingOf(lang): // it is no text of that language
		w.code(Code{Lang: lang, Text: text, Source: Literal, Opaque: true, Span: span})
	}
}

// endingOf is that of the files of a language which others read where a tool picks them up.
func endingOf(lang string) string {
	switch lang {
	case "python":
		return "py"
	case "ruby":
		return "rb"
	case "perl":
		return "pl"
	}
	return "js"
}

// importers are words by which a program executes a file of the same name as a module.
var importers = []string{"import", "require", "require_relative", "use", "load", "run_module"}

// imports looks for files of the line that a program may import: a module is named without the end
// of its file's name.
func (w *commands) imports(s *state, lang, text string, span Span) {
	for i := range s.files {
		f := &s.files[i]
		module, ending, _ := strings.Cut(base(f.name), ".")
		if !planted(f.flow.source()) || !slices.Contains(endings, ending) {
			continue
		}
		words := strings.FieldsFunc(text, func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		if slices.Contains(words, module) && slices.ContainsFunc(importers,
			func(word string) bool { return slices.Contains(words, word) }) {
			w.runs(s, &f.flow, lang, span)
		}
	}
}

// endings are those of the files that languages import.
var endings = []string{"py", "so", "js", "mjs", "cjs", "ts", "rb", "pl", "pm", "php", "lua"}

// fact is one thing that a program in another language certainly names.
func (w *commands) fact(s *state, f code.Fact, lang string, span Span) {
	switch {
	case f.Rule != "":
		w.hazard(Hazard{Rule: f.Rule, Risk: f.Risk, Message: f.Message, Span: span})
	case f.Shell != "":
		child := s.fork()
		if strings.Contains(f.Shell, code.Unknown) {
			w.put(child, "__unknown", environmental(unknown("only make knows it", Unknown)))
		}
		w.shell(child, "sh", f.Shell, span)
	case len(f.Argv) > 0:
		w.started(s, f.Argv, lang, span)
	case f.Right == command.Net:
		e := endpoint(f.Text)
		e.Upload = f.Flags&command.Upload != 0
		w.effect(s, Effect{Right: command.Net, Flags: f.Flags, Net: &e, Span: span})
	case f.Right != 0:
		v := w.tildeName(s, f.Text)
		if f.Right == command.Read && f.Flags&command.Source != 0 {
			w.ranPlanted(s, w.made(s, v), lang, span)
		}
		w.effect(s, Effect{Right: f.Right, Flags: f.Flags, Name: w.nameIn(v, s.dir), Span: span})
	}
}

// started is a program that one in another language starts. Of words that only the run knows, it
// may get those that decide what is read.
func (w *commands) started(s *state, argv []string, lang string, span Span) {
	args, before := make([]value, len(argv)), len(w.out.Commands)
	for i, a := range argv {
		if args[i] = known(a); a == code.Unknown {
			args[i] = unknown("only the program knows it", Unknown)
		}
	}
	c := newCall(args, nil, span)
	c.program = true
	w.interp.invoke(s.fork(), c)
	if slices.Contains(argv, code.Unknown) && slices.ContainsFunc(w.out.Commands[before:],
		func(c Command) bool { return !c.ReadOnly }) {
		w.code(Code{Lang: lang, Source: Literal, Opaque: true, Span: span})
	}
}

// tildeName reads a name in which ~ is the home directory.
func (w *commands) tildeName(s *state, text string) value {
	if text != "~" && !strings.HasPrefix(text, "~/") {
		return known(text)
	}
	e := expander{w: &w.words, s: s}
	e.lit(part{text: e.tilde(text, true)})
	return e.cur
}

func (w *commands) codeArg(s *state, lang string, v value, span Span) {
	if !v.is(disguised) {
		w.suspect(v, lang, false, span)
	}
	if text, ok := v.text(); ok && v.word().Static {
		w.literalCode(s, lang, text, span)
		return
	}
	if text, ok := v.counted(); ok && (lang == "python" || lang == "javascript") {
		if facts, opaque := code.Scan(lang, text); len(facts) == 0 && !opaque {
			w.code(Code{Lang: lang, Text: text, Source: Literal, Span: span})
			return
		}
	}
	if text, names := w.readsNamed(lang, v); len(names) > 0 {
		w.literalCode(s, lang, text, span)
		for _, name := range names {
			w.effect(s, Effect{Right: command.Read, Name: w.nameIn(name, s.dir), Span: span})
		}
		return
	}
	from := codeSource(v)
	w.code(Code{Lang: lang, Text: v.display(), Source: from, Span: span})
	w.opaque(s, InCode, executed(from, &stream{why: v.word().Why}), span)
}
