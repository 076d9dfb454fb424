package pathguard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Insert returns a configuration with more rules. Every byte of it stays; the rules are put where
// their lists begin. The error is for a text in which no rule can be put, such as one with a list
// that is an alias.
func Insert(text []byte, rules ...Way) ([]byte, error) {
	for _, r := range rules {
		with, err := insert(text, r)
		if err == nil && !saysAlso(text, with, r) {
			err = errNoPlace
		}
		if err != nil {
			return nil, fmt.Errorf("add %s to %s: %w", r.Entry, r.Key, err)
		}
		text = with
	}
	return text, nil
}

// saysAlso reports whether a configuration says what another one says, and has one rule more.
func saysAlso(text, with []byte, r Way) bool {
	var all [2][]string
	for i, text := range [][]byte{text, with} { // what each says
		d, err := parse(ConfigFile{Layer: UserLayer}, text, defaults())
		if err != nil {
			return false
		}
		for _, line := range (Policy{set: d.set}).rules() {
			all[i] = append(all[i], line.Key+" "+line.Entry)
		}
		for _, host := range d.set.NetworkAllow {
			all[i] = append(all[i], "network.allow "+host)
		}
		d.set.Commands, d.set.Paths, d.set.Hosts = nil, nil, nil
		d.set.NetworkAllow, d.set.NetworkReach = nil, nil
		all[i] = append(all[i], fmt.Sprintf("%#v", d.set))
	}
	at := slices.Index(all[1], r.Key+" "+r.Entry)
	return at >= 0 && slices.Equal(slices.Delete(all[1], at, at+1), all[0])
}

var errNoPlace = errors.New("the list is written in a way that cannot be added to; " +
	"add the rule by hand, with tadactl policy edit")

func insert(text []byte, r Way) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	section, name, _ := strings.Cut(r.Key, ".")
	var top *yaml.Node
	if len(doc.Content) > 0 {
		top = doc.Content[0]
	}
	key, rules := valueOf(top, section)
	_, list := valueOf(rules, name)
	lines := strings.SplitAfter(string(text), "\n")
	switch {
	case top != nil && !isNull(top) &&
		(top.Kind != yaml.MappingNode || top.Style&yaml.FlowStyle != 0):
		return nil, errNoPlace
	case key == nil:
		return fmt.Appendf(endLine(text), "%s:\n  %s:\n    - %s\n", section, name, r.Entry), nil
	case isNull(rules) && rules.Value == "":
		return putLine(lines, key.Line+1, fmt.Sprintf("  %s:\n    - %s\n", name, r.Entry)), nil
	case rules.Kind != yaml.MappingNode:
		return nil, errNoPlace
	case list == nil && rules.Style&yaml.FlowStyle != 0:
		return within(lines, rules, '{', fmt.Sprintf("%s: [%s]", name, r.Entry),
			len(rules.Content) > 0)
	case list == nil:
		first := rules.Content[0]
		indent := strings.Repeat(" ", first.Column-1)
		return putLine(lines, first.Line, indent+name+":\n"+indent+"  - "+r.Entry+"\n"), nil
	case list.Kind == yaml.SequenceNode && list.Style&yaml.FlowStyle != 0:
		return within(lines, list, '[', r.Entry, len(list.Content) > 0)
	case list.Kind == yaml.SequenceNode:
		return before(lines, list, r.Entry)
	}
	return nil, errNoPlace
}

// valueOf is a key of a mapping and its value.
func valueOf(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

func endLine(text []byte) []byte {
	text = slices.Clone(text)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}

// putLine puts a text before a line, which counts from 1.
func putLine(lines []string, line int, text string) []byte {
	at := min(line-1, len(lines))
	before := strings.Join(lines[:at], "")
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	return []byte(before + text + strings.Join(lines[at:], ""))
}

// before puts an entry in front of a list with an entry on each line.
func before(lines []string, list *yaml.Node, entry string) ([]byte, error) {
	line := lines[list.Line-1]
	dash := list.Column - 1
	if dash < 0 || dash >= len(line) || line[dash] != '-' || strings.TrimSpace(line[:dash]) != "" {
		return nil, errNoPlace
	}
	return putLine(lines, list.Line, line[:dash]+"- "+entry+"\n"), nil
}

// within puts an entry behind the bracket that opens a list or a mapping.
func within(lines []string, n *yaml.Node, open byte, entry string, more bool) ([]byte, error) {
	line, at := lines[n.Line-1], n.Column-1
	if at < 0 || at >= len(line) || line[at] != open {
		return nil, errNoPlace
	}
	if more {
		entry += ", "
	}
	lines[n.Line-1] = line[:at+1] + entry + line[at+1:]
	return []byte(strings.Join(lines, "")), nil
}
