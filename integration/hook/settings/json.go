package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/integration/hook"
)

// ErrNotJSON is wrapped by the refusal of a file that this package must not touch.
var ErrNotJSON = errors.New("it is not strict JSON (a comment, a trailing comma, or a mistake), so it was left as it is")

// A node is a value of a JSON text and where it stands.
type node struct {
	start, end int
	open       byte     // '{', '[' or 0
	names      []string // of the members of an object
	begins     []int    // where each member or element begins: its name, or itself
	values     []*node
}

// parse reads strict JSON with the places of its values. An empty text is an empty object.
func parse(data []byte) (*node, error) {
	if _, err := hook.Decode(bytes.NewReader(data)); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotJSON, err)
	}
	p := parser{data: data}
	return p.value(), nil
}

// A parser walks over JSON that is known to be valid.
type parser struct {
	data []byte
	at   int
}

func (p *parser) skip(more string) {
	for p.at < len(p.data) && strings.IndexByte(" \t\r\n"+more, p.data[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) value() *node {
	p.skip("")
	n := &node{start: p.at}
	switch p.data[p.at] {
	case '{', '[':
		n.open = p.data[p.at]
		for p.at++; ; {
			p.skip(",")
			if c := p.data[p.at]; c == '}' || c == ']' {
				p.at++
				break
			}
			n.begins = append(n.begins, p.at)
			if n.open == '{' {
				n.names = append(n.names, p.text())
				p.skip(":")
			}
			n.values = append(n.values, p.value())
		}
	case '"':
		p.text()
	default:
		for p.at < len(p.data) && strings.IndexByte(" \t\r\n,:]}", p.data[p.at]) < 0 {
			p.at++
		}
	}
	n.end = p.at
	return n
}

// text reads a string.
func (p *parser) text() (s string) {
	start := p.at
	for p.at++; p.data[p.at] != '"'; p.at++ {
		if p.data[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	_ = json.Unmarshal(p.data[start:p.at], &s) // it is valid
	return s
}

func (n *node) member(name string) *node {
	if i := slices.Index(n.names, name); i >= 0 {
		return n.values[i]
	}
	return nil
}

// find follows names from the top as far as they exist. It returns the last value that is there and how many of
// the names lead to it.
func (n *node) find(path []string) (last *node, depth int, err error) {
	for depth < len(path) {
		if n.open != '{' {
			return nil, 0, fmt.Errorf("%s is not an object, so it was left as it is", strings.Join(path[:depth], "."))
		}
		next := n.member(path[depth])
		if next == nil {
			break
		}
		n, depth = next, depth+1
	}
	return n, depth, nil
}

// indentOf is what one level is indented with in the text.
func indentOf(data []byte) string {
	for line := range bytes.Lines(data) {
		trimmed := bytes.TrimLeft(line, " \t")
		if blank := line[:len(line)-len(trimmed)]; len(blank) > 0 && len(bytes.TrimSpace(trimmed)) > 0 {
			return string(blank)
		}
	}
	return "  "
}

// put adds a member (with its name in text) or an element behind the last one of n, one level below depth.
func put(data []byte, n *node, depth int, text string) []byte {
	indent := indentOf(data)
	inner, outer := "\n"+strings.Repeat(indent, depth+1), "\n"+strings.Repeat(indent, depth)
	if len(n.values) == 0 {
		return splice(data, n.start+1, n.end-1, inner+text+outer)
	}
	last := n.values[len(n.values)-1].end
	return splice(data, last, last, ","+inner+text)
}

// cut takes the i-th member or element out, with the comma that it needs no longer.
func cut(data []byte, n *node, i int) []byte {
	switch {
	case len(n.values) == 1:
		return splice(data, n.start+1, n.end-1, "")
	case i == 0:
		return splice(data, n.begins[0], n.begins[1], "")
	}
	return splice(data, n.values[i-1].end, n.values[i].end, "")
}

func splice(data []byte, from, to int, text string) []byte {
	return slices.Concat(data[:from], []byte(text), data[to:])
}

// render writes v as it stands depth levels deep.
func render(v any, data []byte, depth int) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // "||" is for a person to read
	indent := indentOf(data)
	enc.SetIndent(strings.Repeat(indent, depth), indent)
	err := enc.Encode(v)
	return strings.TrimSpace(b.String()), err
}

// ensure makes the members that path misses, the last of them with the value v, and returns the text. It changes
// nothing where the whole path is there.
func ensure(data []byte, path []string, v any) ([]byte, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}\n")
	}
	root, err := parse(data)
	if err != nil {
		return nil, err
	}
	n, depth, err := root.find(path)
	if err != nil || depth == len(path) {
		return data, err
	}
	for i := len(path) - 1; i > depth; i-- {
		v = map[string]any{path[i]: v}
	}
	text, err := render(v, data, depth+1)
	if err != nil {
		return nil, err
	}
	name, err := json.Marshal(path[depth])
	return put(data, n, depth, string(name)+": "+text), err
}

// prune takes out the last value of path when it is empty, and then those around it that became empty by that.
func prune(data []byte, path []string) ([]byte, error) {
	for ; len(path) > 0; path = path[:len(path)-1] {
		root, err := parse(data)
		if err != nil {
			return nil, err
		}
		n, depth, err := root.find(path)
		if err != nil || depth < len(path) || n.open == 0 || len(n.values) > 0 {
			return data, err
		}
		around, _, err := root.find(path[:len(path)-1])
		if err != nil {
			return nil, err
		}
		data = cut(data, around, slices.Index(around.names, path[len(path)-1]))
	}
	return data, nil
}
