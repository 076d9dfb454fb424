package syntax

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of a text. Beyond them it is refused as a whole.
const (
	MaxText   = 1 << 20 // bytes: no person reads more, and ARG_MAX is in this region
	MaxDepth  = 2000    // levels of the tree, about 200 nested constructs or 1000 links of a list
	maxFrames = 3000    // stack frames of the parser, some 200 nested constructs
)

// errTooDeep ends a parser whose stack has grown too deep.
var errTooDeep = errors.New("nested too deeply")

// TooDeep reports whether the text is nested deeper than a parser may recurse.
func (e *ParseError) TooDeep() bool { return e.cause == errTooDeep }

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

// parsers keeps parsers for reuse, one list for each dialect, because a parser has a buffer that is
// larger than most texts. A parser that has read a long text is dropped, because it holds the tree.
var parsers [Zsh + 1]sync.Pool

const maxPooled = 1 << 15

// Parse returns the tree of text, or an error with the place where it ends to make sense.
func Parse(text string, d Dialect) (*syntax.File, *ParseError) {
	if d < Bash || d > Zsh {
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
	e := &ParseError{Span: Span{0, len(text)}, Text: "syntax error: " +
		strings.TrimPrefix(err.Error(), ":"), cause: err}
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
	e.Read = readBefore(file, text)
	return nil, e
}

// readBefore is where the last statement ends that has the end of a line behind it: a shell reads
// a line to its end before it runs any of it.
func readBefore(file *syntax.File, text string) int {
	if file == nil {
		return 0
	}
	for _, st := range slices.Backward(file.Stmts) {
		end := min(int(st.End().Offset()), len(text))
		rest := strings.TrimLeft(text[end:], " \t")
		if strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "#") {
			return end
		}
	}
	return 0
}
