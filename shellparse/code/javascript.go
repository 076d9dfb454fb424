package code

import (
	_ "embed"
	"strings"
)

func javascript() *grammar {
	return &grammar{
		name: "javascript", comments: slashComment, blocks: starComment, nameBytes: "$",
		literal: javascriptLiteral,
		concat:  "+", arrows: true, braces: true, colons: false, calls: javascriptCalls,
		reflects: javascriptReflects[:],
	}
}

var (
	slashComment = []string{"//"}
	starComment  = [][2]string{{"/*", "*/"}}
)

// javascriptReflects are names by which code reaches functions without naming them.
var javascriptReflects = [...]string{"constructor", "__proto__", "mainModule", "_load", "Reflect",
	"_linkedBinding", "getBuiltinModule"}

// javascriptLiteral reads strings, templates, regular expressions, and names with $.
func javascriptLiteral(l *lexer) bool {
	switch c := l.src[l.pos]; c {
	case '"', '\'':
		l.begin(quoting{close: l.src[l.pos : l.pos+1], escapes: cEscapes, line: true}, l.pos+1)
	case '`':
		l.begin(quoting{close: "`", escapes: cEscapes, holes: dollarHoles}, l.pos+1)
	case '$', '#':
		start := l.pos
		l.pos = l.nameEnd(l.pos + 1)
		l.emit(name, l.src[start:l.pos], start, l.pos)
	case '/':
		return l.slash()
	default:
		return false
	}
	return true
}

// slash decides whether a slash divides or starts a regular expression. After a closing
// bracket it can be either, and only a full parser knows; there it is taken as a division,
// and the text is opaque when the other reading would hide or show a string or a comment.
func (l *lexer) slash() bool {
	if !l.operand() {
		if p := l.toks[len(l.toks)-1]; p.is(")") || p.is("}") {
			line := l.src[l.pos+1 : l.end]
			if n := strings.IndexByte(line, '\n'); n >= 0 {
				line = line[:n]
			}
			line = line[:min(len(line), 200)]
			if n := strings.IndexByte(line, '/'); n >= 0 && strings.ContainsAny(line[:n], "\"'`") ||
				len(line) == 200 {
				l.opaque = true
			}
		}
		return false
	}
	start := l.pos
	class := false
	for i := l.pos + 1; i < l.end; i++ {
		switch c := l.src[i]; {
		case c == '\n':
			return false
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			l.pos = l.nameEnd(i + 1)
			l.emit(dynamic, "", start, l.pos)
			return true
		}
	}
	l.opaque = true
	return false
}

// operand reports whether an operand is expected here, judged by the token before.
func (l *lexer) operand() bool {
	if len(l.toks) == 0 {
		return true
	}
	switch p := l.toks[len(l.toks)-1]; p.kind {
	case punct:
		return p.text != ")" && p.text != "]" && p.text != "}"
	case newline, hole, open:
		return true
	case name:
		switch p.text {
		case "return", "typeof", "case", "in", "of", "and", "or", "not", "if", "unless", "while",
			"until", "when", "split", "grep", "join",
			"push", "map", "else", "do", "elsif", "then", "yield", "await", "new", "void", "throw",
			"x", "lt", "gt", "eq", "ne", "delete", "print", "puts", "xor":
			return !(len(l.toks) > 1 && l.toks[len(l.toks)-2].kind == punct &&
				(l.toks[len(l.toks)-2].text == "." || l.toks[len(l.toks)-2].text == "->"))
		}
		return false
	}
	return false
}

//go:embed javascript.txt
var javascriptCalls rules
