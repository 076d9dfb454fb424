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

// ErrNotJSON is wrapped by the refusal of a file that this package must not change.
var ErrNotJSON = errors.New("it is not a JSON object that every program reads alike, so it was " +
	"left as it is")

// ErrUnread is wrapped by the refusal of a file that the platform cannot read, or that has
// something else where the hook or the shell belongs: an entry in it would have no effect.
var ErrUnread = errors.New("so it was left as it is")

// A document is JSON with comments, for editing.
type document struct {
	data   []byte
	plain  []byte // data with blanks for comments, all other bytes in place
	strict []byte // plain with blanks for commas after the last value
	root   *node  // nil if there is no value
}

// A node is a value of a text and its position.
type node struct {
	start, end int
	open       byte     // '{', '[' or 0
	names      []string // of the members of an object
	begins     []int    // where each member or element begins: its name, or itself
	values     []*node
}

// parse reads a document with the positions of its values.
func parse(data []byte) (*document, error) {
	plain, strict, err := hook.WithoutComments(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotJSON, err)
	}
	t := &document{data: data, plain: plain, strict: strict}
	if len(bytes.TrimSpace(strict)) == 0 {
		return t, nil
	}
	if _, err := hook.Decode(bytes.NewReader(strict)); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotJSON, err)
	}
	p := parser{data: strict}
	t.root = p.value()
	return t, nil
}

// A parser reads JSON that is known to be valid.
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

// raw returns the text of a value.
func (t *document) raw(n *node) []byte { return t.data[n.start:n.end] }

// find follows names from the top as far as they exist. It returns the last existing value and how
// many of the names lead to it. It stops at a null, which counts as if nothing were there.
func (t *document) find(path []string) (last *node, depth int, err error) {
	n := t.root
	for n != nil && depth < len(path) {
		if n.open != '{' {
			if string(t.raw(n)) == "null" {
				break
			}
			return nil, 0, fmt.Errorf("%s is not an object, %w", strings.Join(path[:depth], "."),
				ErrUnread)
		}
		next := n.member(path[depth])
		if next == nil {
			break
		}
		n, depth = next, depth+1
	}
	return n, depth, nil
}

// at returns the value at path, or nil if there is none or the document is unknown (nil).
func (t *document) at(path []string) *node {
	if t == nil {
		return nil
	}
	if n, depth, err := t.find(path); err == nil && depth == len(path) {
		return n
	}
	return nil
}

// ensure makes the missing members of path, the last of them with the value v, and returns the
// document. It changes nothing if the whole path exists and is not null.
func ensure(data []byte, path []string, v any) ([]byte, error) {
	t, err := parse(data)
	if err != nil {
		return nil, err
	}
	if t.root == nil {
		return ensure(withValue(t), path, v)
	}
	n, depth, err := t.find(path)
	null := err == nil && string(t.raw(n)) == "null"
	if err != nil || depth == len(path) && !null {
		return data, err
	}
	least := depth
	if !null {
		least++ // n is an object, and gets a member
	}
	for i := len(path) - 1; i >= least; i-- {
		v = map[string]any{path[i]: v}
	}
	value, err := t.render(v, least)
	if err != nil || null {
		return splice(data, n.start, n.end, value), err
	}
	name, err := json.Marshal(path[depth])
	return t.put(n, depth, string(name)+": "+value), err
}

// withValue returns a document without a value, with an empty object added at its end.
func withValue(t *document) []byte {
	data, start := t.data, 0
	if bytes.HasPrefix(data, hook.BOM) {
		start = len(hook.BOM)
	}
	end := t.tail(start, len(data))
	if end > start {
		return slices.Concat(data[:end], []byte(t.newline()+"{}"+t.newline()))
	}
	return slices.Concat(data[:start], []byte("{}"+t.newline()))
}

// Values reads a file of settings, with or without comments. An empty file has no settings.
func Values(data []byte) (values map[string]any, err error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	t, err := parse(data)
	if err != nil {
		return nil, err
	}
	return values, json.Unmarshal(t.strict, &values)
}
