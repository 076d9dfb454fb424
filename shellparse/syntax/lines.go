package syntax

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Printers are kept because each has a buffer of 4 KiB, more than most texts need in all. The
// second kind leaves on one line what was written on one.
var (
	printers = sync.Pool{New: func() any { return syntax.NewPrinter() }}
	oneLine  = sync.Pool{New: func() any { return syntax.NewPrinter(syntax.SingleLine(true)) }}
)

// atItsLines prints a tree with each statement on the line that it was written on, as far as the
// looks of the print allow: the shell names lines in its messages, and it reads a whole line, with
// the aliases of that moment, before it executes anything in it.
func atItsLines(file *syntax.File, size int) (string, error) {
	var out strings.Builder
	out.Grow(size)
	if _, err := printList(&out, file.Stmts, 1); err != nil {
		return "", err
	}
	out.WriteByte('\n')
	return out.String(), nil
}

// printList prints statements from a line on, and returns the line that the last one ends on.
func printList(out *strings.Builder, list []*syntax.Stmt, line uint) (uint, error) {
	document := false // a here-document ends with its line
	for i, stmt := range list {
		begins := stmt.Pos().Line()
		switch {
		case i == 0:
		case !document && begins == list[i-1].End().Line():
			out.WriteString(separator(list[i-1]))
		default:
			out.WriteByte('\n')
			line++
		}
		for ; line < begins; line++ {
			out.WriteByte('\n')
		}
		from := out.Len()
		if err := printStmt(out, stmt); err != nil {
			return 0, err
		}
		printed := out.String()[from:]
		line, document = line+uint(strings.Count(printed, "\n")), strings.Contains(printed, "<<")
	}
	return line, nil
}

// printGroup prints a subshell or a block that has its last line for itself, with each statement on
// its own line as [printList]. It reports false for any other.
func printGroup(stmt *syntax.Stmt) (text string, ok bool) {
	var list []*syntax.Stmt
	var open, shut string
	var begins, ends uint
	switch cmd := stmt.Cmd.(type) {
	case *syntax.Subshell:
		list, open, shut, begins, ends = cmd.Stmts, "(", ")", cmd.Lparen.Line(), cmd.Rparen.Line()
	case *syntax.Block:
		list, open, shut, begins, ends = cmd.Stmts, "{", "}", cmd.Lbrace.Line(), cmd.Rbrace.Line()
	}
	bare := len(stmt.Redirs) == 0 && !stmt.Negated && !stmt.Background && !stmt.Coprocess &&
		!stmt.Disown
	if !bare || len(list) == 0 || list[0].Pos().Line() == begins {
		return "", false
	}
	var out strings.Builder
	out.WriteString(open)
	line, err := printList(&out, list, begins)
	if err != nil || line >= ends {
		return "", false
	}
	return out.String() + strings.Repeat("\n", int(ends-line)) + shut, true
}

// separator is what is between a statement and the next one on its line.
func separator(stmt *syntax.Stmt) string {
	if stmt.Background || stmt.Coprocess || stmt.Disown {
		return " "
	}
	return "; "
}

// printStmt prints a statement on as many lines as it was written on, where one of the printers
// does: the first breaks blocks on one line up in a statement that has another line elsewhere, as
// in a text between quotes.
func printStmt(out *strings.Builder, stmt *syntax.Stmt) error {
	lines := int(stmt.End().Line() - stmt.Pos().Line())
	if lines == 0 {
		return printBy(&oneLine, out, stmt)
	}
	var loose, tight strings.Builder
	if err := printBy(&printers, &loose, stmt); err != nil {
		return err
	}
	text := loose.String()
	if strings.Count(text, "\n") != lines {
		if err := printBy(&oneLine, &tight, stmt); err == nil &&
			strings.Count(tight.String(), "\n") == lines {
			text = tight.String()
		} else if group, is := printGroup(stmt); is {
			text = group
		}
	}
	out.WriteString(text)
	return nil
}

func printBy(kind *sync.Pool, out *strings.Builder, stmt *syntax.Stmt) error {
	p := kind.Get().(*syntax.Printer)
	defer kind.Put(p)
	return p.Print(out, stmt)
}
