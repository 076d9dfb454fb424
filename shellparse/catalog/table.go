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

	line string // what follows the keys
}

// A Table has the entries of one subject.
type Table struct {
	text string

	once    sync.Once
	entries []Entry
	index   []uint16 // of an entry, from 1, at the hash of its key or behind it; 0 for none
	open    []Entry  // those with a star, in their order
}

// Lookup returns the entry of a name: its own, else the first with a star that fits it.
func (t *Table) Lookup(name string) Entry {
	t.once.Do(t.read)
	for at := hash(name); ; at++ {
		n := t.index[at%uint32(len(t.index))]
		if n == 0 {
			break
		}
		if e := t.entries[n-1]; e.Key == name {
			return e
		}
	}
	for _, e := range t.open {
		if e.fits(name) {
			return e
		}
	}
	return Entry{}
}

// read fills the index, of which half or more stays free. A map would take ten times as long,
// and each command begins with it.
func (t *Table) read() {
	t.entries = slices.AppendSeq(make([]Entry, 0, 1024), t.Entries())
	t.index = make([]uint16, 2*len(t.entries)+1)
	for i, e := range t.entries {
		if strings.IndexByte(e.Key, '*') >= 0 {
			t.open = append(t.open, e)
			continue
		}
		at := hash(e.Key) % uint32(len(t.index))
		for t.index[at] != 0 {
			at = (at + 1) % uint32(len(t.index))
		}
		t.index[at] = uint16(i + 1)
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

// fits reports whether a name is one of those that a key with a star stands for.
func (e Entry) fits(name string) bool {
	star := strings.IndexByte(e.Key, '*')
	return len(name) >= len(e.Key)-1 && name[:star] == e.Key[:star] && strings.HasSuffix(name, e.Key[star+1:])
}

// Entries returns all entries in the order of the table.
func (t *Table) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for line, rest := "", t.text; rest != ""; {
			line, rest, _ = strings.Cut(rest, "\n")
			keys, facts, ok := strings.Cut(line, ": ")
			if !ok || line[0] == '#' {
				continue
			}
			for key := ""; keys != ""; {
				key, keys, _ = strings.Cut(keys, " ")
				if !yield(Entry{key, facts}) {
					return
				}
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
