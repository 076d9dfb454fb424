package shellparse

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// The limits of one Parse. Beyond any of them the Script says so in an Opaque with the
// place InText or InCode and keeps what it has found.
const (
	maxText    = 1 << 20 // bytes: no person reads more, and ARG_MAX is in this region
	maxFrames  = 3000    // stack frames of the parser, some 200 nested constructs
	maxDepth   = 2000    // levels of the tree, about 200 nested constructs or 1000 links of a list
	maxNested  = 32      // shells inside shells
	maxSteps   = 20000   // statements evaluated, counting each round of a loop
	maxEffects = 5000
	maxFields  = 1024    // words of one command, after braces
	maxWords   = 1 << 17 // of all commands: "set -- $@ x" in a loop would need their square
)

// Parse reads a command line and says what it would start and which names it would touch.
// The result is never nil. It asks nothing but text and o, so equal arguments give equal
// results; its time is linear in the length of text. When the text cannot be read, Err is
// set, Canonical is empty, and one Opaque with the place InText covers all of it.
func Parse(text string, o Options) *Script {
	s := &Script{Text: text, Dialect: o.Dialect}
	marks, refused := gate(text)
	s.Marks = seen(marks)
	w := newWalker(s, o)
	if len(text) > maxText {
		s.refuse(&ParseError{Span: Span{0, len(text)}, Text: fmt.Sprintf("longer than %d bytes", maxText)})
		return s
	}
	file, err := parse(text, o.Dialect)
	if err != nil {
		if refused != nil {
			err = refused
		}
		s.refuse(err)
		return s
	}
	canonical, err := canonicalText(file, text, marks, o.Dialect)
	if refused != nil {
		err = refused
	}
	if err != nil {
		s.refuse(err)
		if errors.Is(err, errDeep) {
			return s
		}
	} else {
		s.Canonical = canonical
	}
	w.file(file)
	s.plain(file)
	return s
}

// refuse records that the text as a whole cannot be trusted to mean what was read.
func (s *Script) refuse(err *ParseError) {
	s.Err, s.Canonical = err, ""
	s.Opaque = append(s.Opaque, Opaque{Place: InText, Text: s.Text, Why: err.Text, Span: Span{0, len(s.Text)}, Command: -1})
}

// errTooDeep is what the reader answers to a parser that has come too deep.
var errTooDeep = errors.New("nested too deeply")

// errDeep is the same in a ParseError, for errors.Is.
var errDeep = errTooDeep

// A shallow reader hands out text until the parser that reads it has nested too deeply.
// The parser recurses without a limit, and a Go stack that reaches 1 GB ends the process:
// 1 MiB of "(" is enough. It asks for at most 1 KiB at a time, so a look at the stack at
// each request bounds the depth whatever construct is nested, where counting brackets
// would have to know about quotes.
type shallow struct {
	text string
	used bool
}

func (r *shallow) Read(p []byte) (int, error) {
	if r.text == "" {
		return 0, io.EOF
	}
	if r.used {
		var pc [1]uintptr
		if runtime.Callers(maxFrames, pc[:]) > 0 {
			return 0, errTooDeep
		}
	}
	r.used = true
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

func (d Dialect) variant() syntax.LangVariant {
	switch d {
	case POSIX:
		return syntax.LangPOSIX
	case Mksh:
		return syntax.LangMirBSDKorn
	case Zsh:
		return syntax.LangZsh
	case Bats:
		return syntax.LangBats
	}
	return syntax.LangBash
}

// parsers are kept, one list for each dialect, because a parser has a buffer that is larger
// than most texts; those that have read a long text are not, because they hold its tree.
var parsers [Bats + 1]sync.Pool

const maxPooled = 1 << 15

// parse returns the tree of text, or an error with the place where it ends to make sense.
func parse(text string, d Dialect) (*syntax.File, *ParseError) {
	if d < Bash || d > Bats {
		d = Bash // as the zero value
	}
	p, ok := parsers[d].Get().(*syntax.Parser)
	if !ok {
		p = syntax.NewParser(syntax.KeepComments(true), syntax.Variant(d.variant()))
	}
	file, err := p.Parse(&shallow{text: text}, "")
	if len(text) <= maxPooled {
		parsers[d].Put(p)
	}
	if err == nil {
		return file, nil
	}
	e := &ParseError{Span: Span{0, len(text)}, Text: "syntax error: " + strings.TrimPrefix(err.Error(), ":"), cause: err}
	var pe syntax.ParseError
	var le syntax.LangError
	switch {
	case errors.As(err, &pe):
		e.Span.Start = min(int(pe.Pos.Offset()), len(text))
		e.Text = fmt.Sprintf("syntax error at %d:%d: %s", pe.Pos.Line(), pe.Pos.Col(), pe.Text)
	case errors.As(err, &le):
		e.Span.Start = min(int(le.Pos.Offset()), len(text))
	case errors.Is(err, errTooDeep):
		e.Text = errTooDeep.Error()
	}
	return nil, e
}

// plain sets Plain and Argv when the whole text is one simple command of literal words.
func (s *Script) plain(f *syntax.File) {
	if s.Err != nil || len(f.Stmts) != 1 || len(s.Commands) == 0 {
		return
	}
	st := f.Stmts[0]
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(st.Redirs) > 0 || st.Negated || st.Background || st.Coprocess || st.Disown {
		return
	}
	var argv []string
	for _, word := range call.Args {
		text, ok := plainWord(word)
		if !ok {
			return
		}
		argv = append(argv, text)
	}
	s.Plain, s.Argv = true, argv
}

// plainWord returns the value of a word that no expansion changes.
func plainWord(word *syntax.Word) (string, bool) {
	var v value
	for i, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") || strings.ContainsAny(p.Value, "{") {
				return "", false
			}
			v = unescape(v, p.Value)
		case *syntax.SglQuoted:
			v = v.add(part{text: singleQuoted(p)})
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok || p.Dollar {
					return "", false
				}
				v = v.add(part{text: unescapeQuoted(lit.Value)})
			}
		default:
			return "", false
		}
	}
	w := v.word()
	return w.Text, w.Static
}
