package command

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A Table is a person's own entries in front of the built-in ones. The zero Table is the
// built-in table alone.
type Table struct {
	own  string
	kept *keep
}

// A keep holds entries that were looked up. An entry does not change after it was read.
type keep struct {
	sync.Mutex
	specs map[string]*Spec // nil for a program without an entry
}

// maxKept bounds the number of names kept, because the names come from the author of the command
// lines.
const maxKept = 4096

// Keeping returns the same table for a caller that reads it thousands of times: each entry is
// parsed once.
func (t Table) Keeping() Table {
	t.kept = &keep{specs: map[string]*Spec{}}
	return t
}

// A ParseError is what is wrong with an entry of a person's own.
type ParseError struct {
	Entry string // the first name in its header, "" when the header has none
	Line  int    // of the text that Parse was given, from 1
	Err   error
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("entry %q: line %d: %v", e.Entry, e.Line, e.Err)
}

// Unwrap returns what is wrong, without the place.
func (e *ParseError) Unwrap() error { return e.Err }

// Parse reads entries in the words of the built-in table, in any order. An error is a
// *[ParseError] that names the entry, the line, and what in it is not a word of the
// language; then the Table is the zero one. An entry replaces the built-in one of the same
// name as a whole.
func Parse(text string) (Table, error) {
	var blocks []string
	starts := make(map[string]int)
	for at := header(text, 0); at < len(text); {
		end := header(text, at+1)
		block := strings.TrimRight(text[at:end], "\n") + "\n"
		start := 1 + strings.Count(text[:at], "\n")
		at = end
		name := headerName(block)
		if _, twice := starts[name]; twice {
			return Table{}, &ParseError{Entry: name, Line: start,
				Err: fmt.Errorf("the entry stands there twice")}
		}
		starts[name] = start
		if err := checkBlock(block); err != nil {
			return Table{}, &ParseError{Entry: name, Line: start + badLine(block, err), Err: err}
		}
		blocks = append(blocks, block)
	}
	slices.SortFunc(blocks, func(a, b string) int {
		return strings.Compare(headerName(a),
			headerName(b))
	})
	return Table{own: strings.Join(blocks, "")}, nil
}

// checkBlock checks every word of one entry.
func checkBlock(block string) error {
	if _, ok := aliasOf(block); ok {
		return nil
	}
	s, err := parseEntry(block)
	if err != nil {
		return err
	}
	return s.validate()
}

// badLine is the line of a block, from 0, with which an error appears: that of the first
// beginning of the block that has the same error.
func badLine(block string, err error) int {
	line := 0
	for at := 0; at < len(block) && line < manyLines; line++ {
		at += strings.IndexByte(block[at:], '\n') + 1
		if e := checkBlock(block[:at]); e != nil && e.Error() == err.Error() {
			return line
		}
	}
	return 0
}

// manyLines is how far badLine looks: each beginning is checked again, and no entry that a
// person writes is longer.
const manyLines = 500

// Lookup returns the entry of a program by its base name; ok is false when neither the
// person nor the built-in table has one.
func (t Table) Lookup(name string) (s *Spec, ok bool) {
	if t.kept == nil {
		return t.read(name)
	}
	t.kept.Lock()
	defer t.kept.Unlock()
	if s, known := t.kept.specs[name]; known {
		return s, s != nil
	}
	s, ok = t.read(name)
	if len(t.kept.specs) < maxKept {
		t.kept.specs[name] = s
	}
	return s, ok
}

func (t Table) read(name string) (s *Spec, ok bool) {
	if t.own != "" && !badName(name) {
		if s, ok := lookup(t.own, name); ok {
			return s, true
		}
	}
	return Lookup(name)
}

// Agrees reports whether two tables have the same own entry for a program, or neither has one.
func (t Table) Agrees(with Table, name string) bool {
	if t.own == with.own {
		return true
	}
	a, inA := lookup(t.own, name)
	b, inB := lookup(with.own, name)
	return inA == inB && reflect.DeepEqual(a, b)
}

// Differing returns the programs that the own entries of two tables say something different about,
// those that only one has among them.
func (t Table) Differing(from Table) (names []string) {
	for _, text := range []string{t.own, from.own} {
		for at := header(text, 0); at < len(text); at = header(text, at+1) {
			if name := headerName(text[at:]); !t.Agrees(from, name) &&
				!slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// flagWords are marks that are neither flags of a name nor rules.
var flagWords = []string{"changes", "clear", "dry", "dump", "here", "last", "names", "remote",
	"secrets", "sends-input", "shows", "upload", "write-here"}

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
		if key, value, ok := strings.Cut(mark, "="); ok && (key == "stdin" || key == "filter" ||
			key == "data") && value != "" {
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
