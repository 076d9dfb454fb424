package code

import (
	_ "embed"
	"strings"
)

func ruby() *grammar {
	return &grammar{
		name: "ruby", comments: hashComment, blocks: rubyComment, newlines: true,
		continuation: true, nameBytes: "?!", literal: rubyLiteral,
		concat: "+", adjacent: true, colons: true, bare: true, braces: true, calls: rubyCalls,
		reflects: rubyReflects[:],
	}
}

var (
	rubyComment  = [][2]string{{"=begin", "\n=end"}}
	rubyReflects = [...]string{"ObjectSpace", "Fiddle", "DL", "binding", "define_method",
		"instance_exec", "class_exec", "module_eval", "const_get", "method_missing"}
)

// rubyLiteral reads strings, symbols, %-literals, here-documents and patterns.
func rubyLiteral(l *lexer) bool {
	c := l.src[l.pos]
	var next byte
	if l.pos+1 < l.end {
		next = l.src[l.pos+1]
	}
	switch {
	case c == '"':
		l.begin(quoting{close: `"`, escapes: cEscapes, holes: hashHoles}, l.pos+1)
	case c == '\'':
		l.begin(quoting{close: "'", escapes: quoteEscapes}, l.pos+1)
	case c == '`':
		l.begin(quoting{close: "`", what: "shell", escapes: cEscapes, holes: hashHoles}, l.pos+1)
	case c == '<' && next == '<':
		return l.here()
	case c == '%' && l.percent():
	case c == '/' && (l.operand() || l.spacedArgument(next)):
		l.begin(quoting{close: "/", what: "regexp", escapes: skipEscapes, holes: hashHoles}, l.pos+
			1)
	case c == '?' && next != 0 && l.operand() && isNameByte(next) && (l.pos+2 >= l.end ||
		!isNameByte(l.src[l.pos+2])):
		l.emit(dynamic, "", l.pos, l.pos+2)
		l.pos += 2
	case c == ':' && next == '"' && l.operand():
		l.pos++
		l.begin(quoting{close: `"`, escapes: cEscapes, holes: hashHoles}, l.pos+1)
	case c == ':' && isNameStart(next) && (l.pos == 0 || l.src[l.pos-1] != ':'):
		start := l.pos
		l.pos = l.nameEnd(l.pos + 1)
		l.emit(text, l.src[start+1:l.pos], start, l.pos)
	case (c == '@' || c == '$') && (isNameStart(next) || next == '@' || next == '!' || next == '0'):
		start := l.pos
		l.pos = l.nameEnd(l.pos + 2)
		l.emit(name, l.src[start:l.pos], start, l.pos)
	case c == '_' && l.lineStart() && strings.HasPrefix(l.src[l.pos:l.end], "__END__"):
		l.pos = l.end
	default:
		return false
	}
	return true
}

// spacedArgument reports whether `x /y` reads as a call with a pattern.
func (l *lexer) spacedArgument(next byte) bool {
	n := len(l.toks)
	return n > 0 && l.toks[n-1].kind == name && l.spaced && next != ' ' && next != '='
}

// percent reads %w[], %q(), %Q{}, %x<>, %i[], %r{}, %().
func (l *lexer) percent() bool {
	i := l.pos + 1
	kind := byte('Q')
	if i < l.end && strings.IndexByte("qQwWiIxrs", l.src[i]) >= 0 {
		kind = l.src[i]
		i++
	}
	if i >= l.end || isNameByte(l.src[i]) || isSpace(l.src[i]) || l.src[i] == '=' ||
		l.src[i] >= 0x80 {
		return false
	}
	if !l.operand() && !(l.spaced && len(l.toks) > 0 && l.toks[len(l.toks)-1].kind == name) {
		return false
	}
	o := l.src[i]
	q := quoting{close: string([]byte{closer(o)}), escapes: cEscapes, holes: hashHoles}
	if closer(o) != o {
		q.open = o
	}
	switch kind {
	case 'w', 'i', 'W', 'I':
		end, ok := l.delimited(i)
		if !ok {
			return true
		}
		start := l.pos
		l.pos = end + 1
		if strings.Contains(l.src[i:end], "#{") && (kind == 'W' || kind == 'I') {
			l.opaque = true
		}
		l.emit(words, strings.Join(strings.Fields(l.src[i+1:end]), "\x00"), start, l.pos)
		return true
	case 'q', 's':
		q.escapes, q.holes = quoteEscapes, noHoles
	case 'x':
		q.what = "shell"
	case 'r':
		q.what, q.escapes = "regexp", skipEscapes
	}
	l.begin(q, i+1)
	return true
}

//go:embed ruby.txt
var rubyCalls rules
