package settings

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tada-run/tada-run/integration/hook"
)

// indent returns the indentation of one level in the text.
func (t *document) indent() string {
	lines := t.plain
	if bytes.HasPrefix(t.data, hook.BOM) {
		lines = lines[len(hook.BOM):]
	}
	for line := range bytes.Lines(lines) {
		trimmed := bytes.TrimLeft(line, " \t")
		if blank := line[:len(line)-len(trimmed)]; len(blank) > 0 &&
			len(bytes.TrimSpace(trimmed)) > 0 {
			return string(blank)
		}
	}
	return "  "
}

// newline returns the line end of the text.
func (t *document) newline() string {
	if line, _, ok := bytes.Cut(t.data, []byte("\n")); ok && bytes.HasSuffix(line, []byte("\r")) {
		return "\r\n"
	}
	return "\n"
}

// render writes v as it is at depth levels.
func (t *document) render(v any, depth int) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // "||" is for a person to read
	enc.SetIndent(strings.Repeat(t.indent(), depth), t.indent())
	err := enc.Encode(v)
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", t.newline()), err
}

// tail returns where the text between two places ends: a value, a comma or a comment.
func (t *document) tail(from, to int) int {
	return from + len(bytes.TrimRight(t.data[from:to], " \t\r\n"))
}

// comma returns the position of the comma between two places without a value between them, or -1.
func (t *document) comma(from, to int) int {
	if i := bytes.IndexByte(t.plain[from:to], ','); i >= 0 {
		return from + i
	}
	return -1
}

// put adds a member (with its name in it) or an element after the last one of n, one level below
// depth. If the last one is followed by a comma, the new one is too.
func (t *document) put(n *node, depth int, member string) []byte {
	inner, outer := t.newline()+strings.Repeat(t.indent(), depth+1),
		t.newline()+strings.Repeat(t.indent(), depth)
	if len(n.values) == 0 {
		at := t.tail(n.start+1, n.end-1)
		if at == n.start+1 {
			return splice(t.data, at, n.end-1, inner+member+outer)
		}
		if bytes.ContainsRune(t.data[at:n.end-1], '\n') {
			outer = ""
		}
		return splice(t.data, at, at, inner+member+outer)
	}
	last := n.values[len(n.values)-1].end
	at := t.tail(last, n.end-1)
	if t.comma(last, n.end-1) >= 0 {
		return splice(t.data, at, at, inner+member+",")
	}
	return splice(splice(t.data, at, at, inner+member), last, last, ",")
}

// cut removes the i-th member or element, with the comma that is no longer needed. It is the
// inverse of put.
func (t *document) cut(n *node, i int) []byte {
	before, after := n.start+1, n.end-1
	if i > 0 {
		before = n.values[i-1].end
	}
	if i+1 < len(n.values) {
		after = n.begins[i+1]
	}
	from, to := t.tail(before, n.begins[i]), n.values[i].end
	comma := t.comma(to, after)
	rest, _, _ := bytes.Cut(t.data[max(to, comma+1):], []byte("\n"))
	if comment := from > before && t.plain[from-1] == hook.LineComment; comment &&
		len(bytes.TrimSpace(rest)) > 0 {
		from = n.begins[i] // what follows must not become part of the comment
	}
	if len(n.values) == 1 && t.tail(before, after) == max(to, comma+1) && from == before {
		return splice(t.data, before, after, "")
	}
	data := t.data
	if comma >= 0 {
		data = splice(data, comma, comma+1, "")
	}
	data = splice(data, from, to, "")
	if last := t.comma(before, n.begins[i]); comma < 0 && last >= 0 {
		data = splice(data, last, last+1, "")
	}
	return data
}

// unmake removes the last value of path if it is empty, and then those around it that became empty
// by that: they were made for what was in them. What was there before stays, written as it was;
// before is nil if that is unknown. The document is nil if nothing is left of it.
func unmake(data []byte, before *document, path []string) ([]byte, error) {
	for ; ; path = path[:len(path)-1] {
		t, err := parse(data)
		if err != nil {
			return nil, err
		}
		n := t.at(path)
		if n == nil || n.open == 0 || len(n.values) > 0 {
			return data, nil
		}
		was, comments := before.at(path), t.inside(n)
		switch {
		case was != nil && len(was.values) == 0 && bytes.Equal(before.inside(was), comments):
			return splice(data, n.start, n.end, string(before.raw(was))), nil
		case was != nil || len(comments) > 0:
			return data, nil
		case len(path) > 0:
			around := t.at(path[:len(path)-1])
			data = t.cut(around, index(around, path))
		case before != nil:
			return before.data, nil // a file without a value
		case len(bytes.TrimSpace(data)) == n.end-n.start:
			return nil, nil
		default:
			return data, nil
		}
	}
}

// inside returns what is written in a value: for an empty object or list, its comments.
func (t *document) inside(n *node) []byte {
	if n.open == 0 {
		return nil
	}
	return bytes.TrimSpace(t.data[n.start+1 : n.end-1])
}

// index returns which member of around the last name of path is.
func index(around *node, path []string) int {
	for i, name := range around.names {
		if name == path[len(path)-1] {
			return i
		}
	}
	return -1
}

func splice(data []byte, from, to int, text string) []byte {
	return append(append(bytes.Clone(data[:from]), text...), data[to:]...)
}
