package catalog

import (
	"iter"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// An Entry is what is known about one name. The zero Entry knows nothing.
type Entry struct {
	Key string // as in the table: with a star, if it has one

	line string // what follows the keys
}

// A Table has the entries of one subject.
type Table struct {
	text string

	once  sync.Once
	index []uint32 // where a key begins, from 1, at its hash or behind it; 0 for none
	open  []open   // the keys with a star, in their order
}

// An open key is one with a star: it is for all names that begin and end as it does.
type open struct {
	before, after string
	at            int
}

// Lookup returns the entry of a name: its own, else the first with a star that fits it.
func (t *Table) Lookup(name string) Entry {
	t.once.Do(t.read)
	last := uint32(len(t.index) - 1)
	for slot := hash(name) & last; t.index[slot] != 0; slot = (slot + 1) & last {
		if e := t.entry(int(t.index[slot] - 1)); e.Key == name {
			return e
		}
	}
	for i := range t.open {
		o := &t.open[i]
		if strings.HasPrefix(name, o.before) && len(name) >= len(o.before)+len(o.after) &&
			strings.HasSuffix(name, o.after) {
			return t.entry(o.at)
		}
	}
	return Entry{}
}

// entry returns the entry whose key begins at a place in the text.
func (t *Table) entry(at int) Entry {
	line, _, _ := strings.Cut(t.text[at:], "\n")
	keys, facts, _ := strings.Cut(line, ": ")
	key, _, _ := strings.Cut(keys, " ")
	return Entry{key, facts}
}

// read fills the index. A map would take ten times as long, and each command begins with it. Some
// of it stays free: in the text, a blank follows each key, and the facts have more of them.
func (t *Table) read() {
	t.index = make([]uint32, 1<<bits.Len(uint(strings.Count(t.text, " "))))
	t.open = make([]open, 0, 128)
	last := uint32(len(t.index) - 1)
	for at, key := range t.keys() {
		if before, after, found := strings.Cut(key, "*"); found {
			t.open = append(t.open, open{before, after, at})
			continue
		}
		slot := hash(key) & last
		for t.index[slot] != 0 {
			slot = (slot + 1) & last
		}
		t.index[slot] = uint32(at + 1)
	}
}

// hash is FNV-1a.
func hash(name string) uint32 {
	h := uint32(2166136261)
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return h
}

// keys returns all keys in the order of the table, and where they begin in its text.
func (t *Table) keys() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at, next := 0, 0; next < len(t.text); at = next {
			line, _, _ := strings.Cut(t.text[at:], "\n")
			next = at + len(line) + 1
			keys, _, ok := strings.Cut(line, ": ")
			if !ok || line[0] == '#' {
				continue
			}
			for key := ""; keys != ""; at += len(key) + 1 {
				key, keys, _ = strings.Cut(keys, " ")
				if !yield(at, key) {
					return
				}
			}
		}
	}
}

// Entries returns all entries in the order of the table.
func (t *Table) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for at := range t.keys() {
			if !yield(t.entry(at)) {
				return
			}
		}
	}
}

// Why says where an entry comes from, or what it does; "" where the facts say it.
func (e Entry) Why() string {
	_, why, _ := strings.Cut(e.line, "# ")
	return why
}

// next returns the first fact of a line, its value, and what follows.
func next(line string) (fact, value, rest string) {
	line = strings.TrimLeft(line, " ")
	end, equals, quoted := 0, -1, false
	for ; end < len(line) && (quoted || line[end] != ' '); end++ {
		switch c := line[end]; {
		case c == '"':
			quoted = !quoted
		case c == '=' && equals < 0:
			equals = end
		case c == '#' && end == 0:
			return "", "", ""
		}
	}
	if equals < 0 {
		return line[:end], "", line[end:]
	}
	return line[:equals], strings.ReplaceAll(line[equals+1:end], `"`, ""), line[end:]
}

// Facts returns the facts of an entry, each with its value, "" for a fact without one.
func (e Entry) Facts() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for fact, value, rest := next(e.line); fact != ""; fact, value, rest = next(rest) {
			if !yield(fact, value) {
				return
			}
		}
	}
}

// Has reports whether an entry has any of these facts.
func (e Entry) Has(facts ...string) bool {
	for fact, _, rest := next(e.line); fact != ""; fact, _, rest = next(rest) {
		if slices.Contains(facts, fact) {
			return true
		}
	}
	return false
}

// First returns the first fact of an entry and its value; "" for the zero Entry.
func (e Entry) First() (fact, value string) {
	fact, value, _ = next(e.line)
	return fact, value
}

// Values returns the values of a fact; none for a fact that the entry does not have.
func (e Entry) Values(fact string) []string {
	if !e.Has(fact) {
		return nil
	}
	return strings.Split(e.value(fact), ",")
}

// value returns the value of a fact, commas included.
func (e Entry) value(fact string) string {
	for name, value := range e.Facts() {
		if name == fact {
			return value
		}
	}
	return ""
}
