package command

import (
	"fmt"
	"slices"
	"strings"
)

// A Table is a person's own entries in front of the built-in ones. The zero Table is the
// built-in table alone.
type Table struct{ own string }

// Parse reads entries in the words of the built-in table, in any order. An error names the
// entry, and what in it is not a word of the language; then the Table is the zero one.
// An entry replaces the built-in one of the same name as a whole.
func Parse(text string) (Table, error) {
	var blocks []string
	for at := header(text, 0); at < len(text); {
		end := header(text, at+1)
		block := strings.TrimRight(text[at:end], "\n") + "\n"
		at = end
		if _, ok := aliasOf(block); !ok {
			s, err := parseEntry(block)
			if err != nil {
				return Table{}, err
			}
			if err := s.validate(); err != nil {
				return Table{}, fmt.Errorf("entry %q: %w", s.Name, err)
			}
		}
		blocks = append(blocks, block)
	}
	slices.SortFunc(blocks, func(a, b string) int { return strings.Compare(headerName(a), headerName(b)) })
	for i := 1; i < len(blocks); i++ {
		if name := headerName(blocks[i]); name == headerName(blocks[i-1]) {
			return Table{}, fmt.Errorf("entry %q stands there twice", name)
		}
	}
	return Table{own: strings.Join(blocks, "")}, nil
}

// Lookup returns the entry of a program by its base name; ok is false when neither the
// person nor the built-in table has one.
func (t Table) Lookup(name string) (s *Spec, ok bool) {
	if t.own != "" && !badName(name) {
		if s, ok := lookup(t.own, name); ok {
			return s, true
		}
	}
	return Lookup(name)
}

// flagWords are marks that are neither flags of a name nor rules.
var flagWords = []string{"changes", "clear", "dry", "here", "last", "remote", "upload", "write-here"}

// validate checks every word of an entry and of its sub-commands.
func (s *Spec) validate() error {
	if err := checkMarks(s.marks); err != nil {
		return err
	}
	var seen []string
	for token := range s.tokens {
		o, err := parseOption(token)
		if err != nil {
			return err
		}
		if err := checkMarks(o.marks); err != nil {
			return err
		}
		for name := range strings.SplitSeq(o.names, ",") {
			if slices.Contains(seen, name) {
				return fmt.Errorf("option %s stands there twice", name)
			}
			seen = append(seen, name)
		}
	}
	for _, line := range s.patterns {
		if err := s.validatePattern(line); err != nil {
			return err
		}
	}
	return s.validateSubs()
}

func (s *Spec) validatePattern(line string) error {
	p, err := parsePattern(line)
	if err != nil {
		return err
	}
	for _, with := range p.with {
		for name := range strings.SplitSeq(with, "&") {
			if s.option(name) == nil {
				return fmt.Errorf("with %s: the entry has no such option", name)
			}
		}
	}
	for _, sl := range p.slots {
		if err := checkMarks(sl.marks); err != nil {
			return err
		}
	}
	return checkMarks(p.marks)
}

func (s *Spec) validateSubs() error {
	indent := leading(s.subs)
	for text := s.subs; text != ""; {
		var block string
		block, text = cutBlock(text, indent)
		if word := strings.TrimSpace(block); word == "" || word[0] == '#' {
			continue
		}
		sub, err := parseEntry(block)
		if err != nil {
			return err
		}
		sub.up = s
		if err := sub.validate(); err != nil {
			return fmt.Errorf("%s: %w", sub.Name, err)
		}
	}
	return nil
}

// checkMarks knows flags, rules of the hazards table, and stdin= and filter=.
func checkMarks(marks []string) error {
	for _, mark := range marks {
		if key, value, ok := strings.Cut(mark, "="); ok && (key == "stdin" || key == "filter") && value != "" {
			continue
		}
		if strings.Contains(mark, ".") {
			if _, ok := LookupHazard(mark); !ok {
				return fmt.Errorf("no hazard is called %q", mark)
			}
			continue
		}
		if flagsOf([]string{mark}) == 0 && !slices.Contains(flagWords, mark) {
			return fmt.Errorf("no mark is called %q", mark)
		}
	}
	return nil
}
