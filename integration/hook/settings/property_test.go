package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hook"
)

// A door is one way to edit one file.
type door struct {
	name      string
	install   func([]byte) ([]byte, error)
	uninstall func(data, before []byte) ([]byte, error)
	in        func([]byte) bool
	place     Place
}

// doors are all edits of a file that may be the person's.
var doors = func() (all []door) {
	const link = "/s/bin/bash"
	for _, p := range places() {
		if len(p.lists) > 0 {
			all = append(all, door{p.Platform,
				func(b []byte) ([]byte, error) { return p.install(b, registered) }, p.Uninstall, func(b []byte) bool {
					p.reads = syntax{true, true, true}
					s, err := p.State(b, registered)
					return s == Complete && err == nil
				}, p})
		}
	}
	for _, p := range shellPlaces() {
		if p.HasSetting() {
			all = append(all, door{p.Platform + "'s shell",
				func(b []byte) ([]byte, error) { return p.install(b, link) },
				func(b, before []byte) ([]byte, error) { return p.Uninstall(b, link, before) }, func(b []byte) bool {
					in, err := p.Installed(b, link)
					return in && err == nil
				}, p.Place})
		}
	}
	return all
}()

// A maker makes documents as people and programs write them.
type maker struct {
	*rand.Rand
	b        strings.Builder
	newline  string
	comments bool
}

// names are members that the edits handle, and others.
var names = []string{"hooks", "env", "PreToolUse", "BeforeTool", "preToolUse", "CLAUDE_CODE_SHELL",
	"shell", "$schema", "version", "$version", "a", "b c", "\\u0061\\n", "//"}

func (m *maker) gap() {
	for m.IntN(3) == 0 {
		switch n := m.IntN(6); {
		case n == 0 && m.comments:
			m.b.WriteString("// a \"comment\", {" + m.newline)
		case n == 1 && m.comments:
			m.b.WriteString("/* b: [, */")
		case n < 4:
			m.b.WriteString(m.newline + strings.Repeat("  ", m.IntN(3)))
		default:
			m.b.WriteString(" ")
		}
	}
}

// value writes any value; its name usually decides its form.
func (m *maker) value(name string, depth int) {
	switch name {
	case "hooks", "env":
		m.list('{', '}', depth)
	case "PreToolUse", "BeforeTool", "preToolUse":
		m.list('[', ']', depth)
	case "CLAUDE_CODE_SHELL", "shell", "$schema":
		m.b.WriteString([]string{`"/bin/zsh"`, "null", `"\u002fbin"`}[m.IntN(3)])
	default:
		switch n := m.IntN(6); {
		case n < 2 && depth < 3:
			m.list('{', '}', depth)
		case n == 2 && depth < 3:
			m.list('[', ']', depth)
		case n == 3:
			m.b.WriteString(`{"matcher": "x", "hooks": [{"command": "mine"}]}`)
		default:
			m.b.WriteString([]string{"1", "-2.50e3", "true", "null", `"x // y"`, `"\\"`}[m.IntN(6)])
		}
	}
}

func (m *maker) list(open, end byte, depth int) {
	m.b.WriteByte(open)
	m.gap()
	order := m.Perm(len(names))[:m.IntN(4)]
	for i, n := range order {
		if open == '{' {
			fmt.Fprintf(&m.b, "\"%s\"", names[n])
			m.gap()
			m.b.WriteByte(':')
			m.gap()
			m.value(names[n], depth+1)
		} else {
			m.value("", depth+1)
		}
		m.gap()
		if i < len(order)-1 || m.comments && m.IntN(3) == 0 {
			m.b.WriteByte(',')
			m.gap()
		}
	}
	m.b.WriteByte(end)
}

func made(seed uint64) []byte {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), newline: "\n"}
	m.comments = m.IntN(2) == 0
	if m.IntN(4) == 0 {
		m.newline = "\r\n"
	}
	if m.IntN(4) == 0 {
		m.b.Write(hook.BOM)
	}
	m.gap()
	if m.IntN(20) > 0 {
		m.list('{', '}', 0)
	}
	m.gap()
	return []byte(m.b.String())
}

// seeds is how many documents are made; with -short, for the race detector, a tenth: they are read
// one after the other.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return n / 10
	}
	return n
}

// Each of thousands of documents is restored when what was written to it is removed, in any order.
func TestMadeDocuments(t *testing.T) {
	tried, rounds := uint64(0), seeds(400)
	for seed := range rounds {
		text := made(seed)
		if _, err := parse(text); err != nil {
			t.Fatalf("seed %d makes %q: %v", seed, text, err)
		}
		for _, d := range doors {
			with, err := d.install(text)
			if err != nil {
				continue
			}
			tried++
			without, err := d.uninstall(with, text)
			if err != nil || !bytes.Equal(without, text) || !d.in(with) {
				t.Fatalf("seed %d, %s:\n%q\n%q\n%q\n%v", seed, d.name, text, with, without, err)
			}
		}
		both(t, seed, text)
	}
	if tried < 5*rounds {
		t.Errorf("%d trials", tried)
	}
}

// both puts the hook and the shell in one file, and removes them one after the other.
func both(t *testing.T, seed uint64, text []byte) {
	t.Helper()
	var here []door
	for _, d := range doors {
		if d.place.Platform == "claude-code" {
			here = append(here, d)
		}
	}
	if len(here) != 2 {
		t.Fatal(here)
	}
	for _, order := range [][2]int{{0, 1}, {1, 0}} {
		first, second := here[order[0]], here[order[1]]
		one, err := first.install(text)
		if err != nil {
			return
		}
		two, err := second.install(one)
		if err != nil {
			return
		}
		for _, outOf := range [][2]door{{first, second}, {second, first}} {
			half, err := outOf[0].uninstall(two, text)
			if err != nil || outOf[0].in(half) || !outOf[1].in(half) {
				t.Fatalf("seed %d, half of %q is %q, %v", seed, two, half, err)
			}
			if again, err := outOf[0].install(half); err != nil || !outOf[0].in(again) ||
				!outOf[1].in(again) {
				t.Fatalf("seed %d, %q again is %q, %v", seed, half, again, err)
			}
			none, err := outOf[1].uninstall(half, text)
			if err != nil || !bytes.Equal(bare(none), bare(text)) {
				t.Fatalf("seed %d:\n%q\n%q\n%q\n%q, %v", seed, text, two, half, none, err)
			}
		}
	}
}

// bare returns a text without its blanks: what a reader depends on, with the comments.
func bare(b []byte) []byte { return bytes.Join(bytes.Fields(b), nil) }

// What the person changed after the installation stays as they left it, and nothing of ours stays.
func TestEditedMeanwhile(t *testing.T) {
	edits := map[string]func([]byte) []byte{
		"a member in front": func(b []byte) []byte {
			return bytes.Replace(b, []byte("{"), []byte(`{"new": [1], `), 1)
		},
		"a comment in front": func(b []byte) []byte {
			return bytes.Replace(b, []byte("{"), []byte("{ // new\n"), 1)
		},
		"a member behind": func(b []byte) []byte {
			b, err := ensure(b, []string{"new"}, 1)
			if err != nil {
				t.Fatal(err)
			}
			return b
		},
		"a hook": func(b []byte) []byte {
			more, err := ensure(b, []string{"hooks", "PreToolUse"}, []any{})
			if err != nil {
				return b
			}
			d, n, err := hooks(more, list{path: []string{"hooks", "PreToolUse"}})
			if err != nil {
				return b
			}
			return d.put(n, 2, `{"hooks": [{"command": "new"}]}`)
		},
	}
	for seed := range seeds(120) {
		text := made(seed)
		if d, _ := parse(text); d.root == nil || len(d.root.values) == 0 {
			continue
		}
		for name, edit := range edits {
			for _, d := range doors {
				with, err := d.install(text)
				if err != nil {
					continue
				}
				without, err := d.uninstall(edit(with), text)
				if err != nil || d.in(without) || bytes.Contains(without, []byte("hook run")) ||
					!reflect.DeepEqual(meaning(t, without), meaning(t, edit(text))) {
					t.Fatalf("seed %d, %s, %s:\n%q\n%q\n%q\n%v", seed, d.name, name, text,
						edit(with), without, err)
				}
			}
		}
	}
}

// meaning is what a reader finds in a document, without a version that Cursor and Copilot need, and
// without empty lists or objects.
func meaning(t *testing.T, b []byte) any {
	t.Helper()
	d, err := parse(b)
	if err != nil || d.root == nil {
		t.Fatalf("%q: %v", b, err)
	}
	var v map[string]any
	dec := json.NewDecoder(bytes.NewReader(d.strict[d.root.start:d.root.end]))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q: %v", b, err)
	}
	delete(v, "version")
	return v
}
