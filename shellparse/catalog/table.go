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
	text     string
	more     string // entries that are known of agents
	compiled string // its index; "" where it is made at the first question

	once  sync.Once
	index index
	stars sync.Once
	open  []open // the keys with a star, in their order
}

// An open key is one with a star: it is for all names that begin and end as it does.
type open struct {
	before, after string
	at            int
}

// Lookup returns the entry of a name: its own, else the first with a star that fits it.
func (t *Table) Lookup(name string) Entry {
	t.once.Do(t.find)
	for slot := hash(name) & t.index.last; ; slot = (slot + 1) & t.index.last {
		at := number(t.index.slots, int(slot))
		if at == 0 {
			break
		}
		if t.key(at-1) == name {
			return t.entry(at - 1)
		}
	}
	t.stars.Do(t.findOpen)
	for i := range t.open {
		o := &t.open[i]
		if strings.HasPrefix(name, o.before) && len(name) >= len(o.before)+len(o.after) &&
			strings.HasSuffix(name, o.after) {
			return t.entry(o.at)
		}
	}
	return Entry{}
}

func (t *Table) find() {
	if t.compiled == "" {
		t.compiled = compile(t.keys())
	}
	t.index = indexed(t.compiled)
}

func (t *Table) findOpen() {
	t.open = make([]open, count(t.index.open))
	for i := range t.open {
		at := number(t.index.open, i) - 1
		before, after, _ := strings.Cut(t.key(at), "*")
		t.open[i] = open{before, after, at}
	}
}

// from returns the text from a place on.
func (t *Table) from(at int) string {
	if at < len(t.text) {
		return t.text[at:]
	}
	return t.more[at-len(t.text):]
}

// key returns the key that begins at a place in the text: a blank is behind each, or a colon and a
// blank.
func (t *Table) key(at int) string {
	key, _, _ := strings.Cut(t.from(at), " ")
	return strings.TrimSuffix(key, ":")
}

// entry returns the entry whose key begins at a place in the text.
func (t *Table) entry(at int) Entry {
	line, _, _ := strings.Cut(t.from(at), "\n")
	_, facts, _ := strings.Cut(line, ": ")
	return Entry{t.key(at), facts}
}

// keys returns all keys in the order of the table, and where they begin in its text.
func (t *Table) keys() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at, next := 0, 0; next < len(t.text)+len(t.more); at = next {
			line, _, _ := strings.Cut(t.from(at), "\n")
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

// Groups returns the entries line by line, in the order of the table: the names of a line, with
// blanks between, and what is known about each of them.
func (t *Table) Groups() iter.Seq2[string, Entry] {
	return func(yield func(string, Entry) bool) {
		for _, text := range [...]string{t.text, t.more} {
			for line := ""; text != ""; {
				line, text, _ = strings.Cut(text, "\n")
				keys, facts, ok := strings.Cut(line, ": ")
				if ok && line[0] != '#' && !yield(keys, Entry{line: facts}) {
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
