package catalog

import (
	"iter"
	"slices"
	"strings"
	"sync"
)

// An Entry is what is known about one name. The zero Entry knows nothing.
type Entry struct {
	Key string // as in the table: with a star, if it has one
	Why string // where it comes from, or what it does

	facts string
}

// A Table has the entries of one subject.
type Table struct {
	text string

	once  sync.Once
	exact map[string]Entry
	open  []Entry // those with a star, in their order
}

// Lookup returns the entry of a name: its own, else the first with a star that fits it.
func (t *Table) Lookup(name string) Entry {
	t.once.Do(t.read)
	if e, ok := t.exact[name]; ok {
		return e
	}
	for _, e := range t.open {
		if e.fits(name) {
			return e
		}
	}
	return Entry{}
}

func (t *Table) read() {
	t.exact = make(map[string]Entry, strings.Count(t.text, " "))
	for e := range t.Entries() {
		if strings.Contains(e.Key, "*") {
			t.open = append(t.open, e)
		} else {
			t.exact[e.Key] = e
		}
	}
}

// fits reports whether a name is one of those that a key with a star stands for.
func (e Entry) fits(name string) bool {
	head, tail, _ := strings.Cut(e.Key, "*")
	return len(name) >= len(head)+len(tail) && strings.HasPrefix(name, head) &&
		strings.HasSuffix(name, tail)
}

// Entries returns all entries in the order of the table.
func (t *Table) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for line := range strings.Lines(t.text) {
			keys, facts, ok := strings.Cut(line, ": ")
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			facts, why, _ := strings.Cut(facts, " # ")
			for key := range strings.FieldsSeq(keys) {
				if !yield(Entry{Key: key, Why: strings.TrimSpace(why), facts: facts}) {
					return
				}
			}
		}
	}
}

// Facts returns the facts of an entry, each with its value, "" for a fact without one.
func (e Entry) Facts() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		quoted := false
		words := strings.FieldsFuncSeq(e.facts, func(c rune) bool {
			quoted = quoted != (c == '"')
			return !quoted && (c == ' ' || c == '\n')
		})
		for word := range words {
			name, value, _ := strings.Cut(word, "=")
			if !yield(name, strings.ReplaceAll(value, `"`, "")) {
				return
			}
		}
	}
}

// Has reports whether an entry has any of these facts.
func (e Entry) Has(facts ...string) bool {
	for name := range e.Facts() {
		if slices.Contains(facts, name) {
			return true
		}
	}
	return false
}

// First returns the first fact of an entry and its value; "" for the zero Entry.
func (e Entry) First() (fact, value string) {
	for fact, value = range e.Facts() {
		break
	}
	return fact, value
}

// Values returns the values of a fact; none for a fact that the entry does not have.
func (e Entry) Values(fact string) []string {
	for name, value := range e.Facts() {
		if name == fact {
			return strings.Split(value, ",")
		}
	}
	return nil
}
