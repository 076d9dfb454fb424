package command

import (
	"cmp"
	"iter"
	"path"
	"strings"
)

// Lookup returns the entry of a program by its base name; ok is false when the table has
// none. Only the entry that is asked for is parsed.
func Lookup(name string) (s *Spec, ok bool) {
	if badName(name) {
		return nil, false
	}
	for _, text := range tables() {
		if s, ok := lookup(text, name); ok {
			return s, true
		}
	}
	short := unversioned(name)
	if short == name {
		return nil, false
	}
	for _, text := range tables() {
		if s, ok := lookup(text, short); ok && s.versioned {
			return s, true
		}
	}
	return nil, false
}

// lookup finds the entry in one table and follows `name = other` once: an alias of an alias would
// be hard to follow in the table.
func lookup(text, name string) (*Spec, bool) {
	block, ok := find(text, name)
	if !ok {
		return nil, false
	}
	if same, ok := aliasOf(block); ok {
		if block, ok = find(text, same); !ok {
			return nil, false
		}
	}
	s, err := parseEntry(block)
	if err != nil {
		return nil, false
	}
	return s, true
}

// headers are the header lines of the sub-commands, each with the text from it on.
func (s *Spec) headers() iter.Seq2[string, string] {
	return func(yield func(head, text string) bool) {
		indent := leading(s.subs)
		for text := s.subs; text != ""; {
			head, rest, _ := strings.Cut(text, "\n")
			if leading(head) == indent && strings.TrimSpace(head) != "" && !yield(head, text) {
				return
			}
			text = rest
		}
	}
}

// sub finds the sub-command a word names; nil when the entry has none such.
func (s *Spec) sub(word string) *Spec {
	if word == "" {
		return nil
	}
	for head, text := range s.headers() {
		if !names(head, word) {
			continue
		}
		block, _ := cutBlock(text, leading(s.subs))
		sub, err := parseEntry(block)
		if err != nil {
			return nil
		}
		sub.Name, sub.up = s.Name+" "+word, s
		sub.inherit(s)
		return sub
	}
	return nil
}

// spells reports whether the entry has a sub-command of this name, and not only one for all others.
func (s *Spec) spells(word string) bool {
	for head := range s.headers() {
		if names(head, word) {
			list, _, _ := cutNames(head)
			return strings.TrimSpace(list) != "*"
		}
	}
	return false
}

// mayBeSub reports whether a word that the disk decides could name a sub-command: `touch push; git
// p*` is a push, and fd and rg print names without a folder.
func (s *Spec) mayBeSub(a Arg) bool {
	pattern := a.Text
	switch {
	case a.Below && a.Text == ".":
		pattern = cmp.Or(a.Base, "*")
	case !a.Glob:
		return false
	}
	for head := range s.headers() {
		list, _, _ := cutNames(head)
		for name := range strings.SplitSeq(list, ",") {
			if fits, err := path.Match(pattern, strings.TrimSpace(name)); fits || err != nil {
				return true
			}
		}
	}
	return false
}

// names reports whether a header line is that of the word.
func names(head, word string) bool {
	if !strings.Contains(head, word) && strings.IndexByte(head, '*') < 0 {
		return false
	}
	list, _, _ := cutNames(head)
	for name := range strings.SplitSeq(list, ",") {
		if matchName(strings.TrimSpace(name), word) {
			return true
		}
	}
	return false
}

// inherit hands down what is true of a program to each of its sub-commands.
func (s *Spec) inherit(up *Spec) {
	s.Closed = s.Closed || up.Closed
	s.dash = s.dash || up.dash
	s.remote = s.remote || up.remote
}
