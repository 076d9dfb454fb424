// Package presets has configurations to begin with, for usual kinds of work: each a file that a
// person can read, with cases that say what it is to do.
package presets

import (
	"embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml suits.txt
var files embed.FS

// Names returns the names of all presets, sorted.
func Names() (names []string) {
	list, _ := files.ReadDir(".")
	for _, e := range list {
		if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok {
			names = append(names, name)
		}
	}
	return names
}

// About returns what a preset is for, in a sentence.
func About(name string) string {
	text, _ := files.ReadFile(name + ".yaml")
	about := ""
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, "# ")
		if !ok {
			break
		}
		about += " " + strings.TrimSpace(rest)
	}
	return strings.TrimSpace(about)
}

// Text returns a configuration that is all of these presets together. The error is for a name that
// there is not, and for presets that contradict each other.
func Text(names ...string) (string, error) {
	var all *yaml.Node
	about := ""
	for _, name := range names {
		text, err := files.ReadFile(name + ".yaml")
		if err != nil || !slices.Contains(Names(), name) {
			return "", fmt.Errorf("no preset is called %q; there are: %s", name,
				strings.Join(Names(), ", "))
		}
		if len(names) == 1 {
			return string(text), nil
		}
		var doc yaml.Node
		if err := yaml.Unmarshal(text, &doc); err != nil {
			return "", fmt.Errorf("preset %s: %w", name, err)
		}
		about += "# " + name + ": " + About(name) + "\n"
		doc.Content[0].HeadComment, doc.HeadComment = "", ""
		if all == nil {
			all = doc.Content[0]
		} else if err := join(all, doc.Content[0], ""); err != nil {
			return "", fmt.Errorf("%s and %s: %w", strings.Join(names[:len(names)-1], ", "), name,
				err)
		}
	}
	var text strings.Builder
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := e.Encode(all); err != nil {
		return "", err
	}
	return about + text.String(), nil
}

// join adds one mapping to another: lists are put together, each entry once.
func join(to, from *yaml.Node, at string) error {
	for i := 0; i+1 < len(from.Content); i += 2 {
		key, value := from.Content[i], from.Content[i+1]
		name := strings.TrimPrefix(at+"."+key.Value, ".")
		var has *yaml.Node
		for k := 0; k+1 < len(to.Content); k += 2 {
			if to.Content[k].Value == key.Value {
				has = to.Content[k+1]
			}
		}
		switch {
		case has == nil:
			to.Content = append(to.Content, key, value)
		case value.Kind == yaml.MappingNode && has.Kind == yaml.MappingNode:
			if err := join(has, value, name); err != nil {
				return err
			}
		case value.Kind == yaml.SequenceNode && has.Kind == yaml.SequenceNode:
			for _, entry := range value.Content {
				if !slices.ContainsFunc(has.Content,
					func(n *yaml.Node) bool { return flat(n) == flat(entry) }) {
					has.Content = append(has.Content, entry)
				}
			}
		case flat(value) != flat(has):
			return fmt.Errorf("one wants %s: %s, the other %s", name, flat(has), flat(value))
		}
	}
	return nil
}

// flat is a node as text, to be compared.
func flat(n *yaml.Node) string {
	text, _ := yaml.Marshal(n)
	return strings.TrimSpace(string(text))
}

// Suits returns the presets that suit a workspace, by the files in its root.
func Suits(dir string) (names []string) {
	table, _ := files.ReadFile("suits.txt")
	for line := range strings.Lines(string(table)) {
		name, patterns, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || line[0] == '#' {
			continue
		}
		for pattern := range strings.FieldsSeq(patterns) {
			if found, _ := filepath.Glob(filepath.Join(escaped(dir), pattern)); len(found) > 0 {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// escaped is a path as a pattern that means only itself.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
