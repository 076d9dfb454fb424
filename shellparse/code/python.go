package code

import (
	_ "embed"
	"strings"
)

func python() *grammar {
	return &grammar{
		name: "python", comments: hashComment, newlines: true, continuation: true,
		literal: pythonLiteral,
		concat:  "+", adjacent: true, equals: true, rooted: true, calls: pythonCalls,
		reflects: pythonReflects[:],
	}
}

var hashComment = []string{"#"}

// pythonReflects are names by which code reaches functions without naming them.
var pythonReflects = [...]string{"__builtins__", "__globals__", "__subclasses__", "__mro__",
	"__bases__",
	"__code__", "__getattribute__", "__loader__", "__spec__", "__reduce__", "__dict__"}

// pythonLiteral reads r"", b"", f"", u"" in all their combinations, single and triple.
func pythonLiteral(l *lexer) bool {
	i := l.pos
	for i < l.end && i < l.pos+3 && strings.IndexByte("rRbBfFuUtT", l.src[i]) >= 0 {
		i++
	}
	if i >= l.end || l.src[i] != '"' && l.src[i] != '\'' {
		return false
	}
	q := quoting{close: l.src[i : i+1], escapes: pythonEscapes, line: true}
	prefix := strings.ToLower(l.src[l.pos:i])
	if strings.Contains(prefix, "r") {
		q.escapes = skipEscapes
	}
	if strings.ContainsAny(prefix, "ft") {
		q.holes = braceHoles
	}
	if strings.HasPrefix(l.src[i:l.end], strings.Repeat(q.close, 3)) {
		q.close, q.line = l.src[i:i+3], false
	}
	l.begin(q, i+len(q.close))
	return true
}

//go:embed python.txt
var pythonCalls rules
