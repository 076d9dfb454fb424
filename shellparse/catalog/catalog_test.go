package catalog

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// tables are all of them, each with the facts that its entries may have.
var tables = map[string]struct {
	table *Table
	facts string
}{
	"git.txt": {&git, "sh helper path switch address pushes names harmless safe unless hooks " +
		"includes"},
	"environ.txt": {variables(),
		"harmless runs starts sources loads searches modules options prompts " +
			"places configures writes proxies trusts contacts history shell first passes plain shown removed " +
			"secret caller call"},
	"later.txt": {later(), "kept told tools apart"},
	"secrets.txt": {secrets(),
		"inside ends whole section apart file public token form more midword"},
}

// J3: no name is in a table twice, and every line has the one format.
func TestTables(t *testing.T) {
	for name, c := range tables {
		seen, lines := map[string]bool{}, 0
		for e := range c.table.Entries() {
			if seen[e.Key] {
				t.Errorf("%s: %q is there twice", name, e.Key)
			}
			seen[e.Key] = true
			if strings.Count(e.Key, "*") > 1 || strings.ContainsAny(e.Key, `=#"`) {
				t.Errorf("%s: %q is no name", name, e.Key)
			}
			if fact, _ := e.First(); fact == "" {
				t.Errorf("%s: %q has no facts", name, e.Key)
			}
			for fact := range e.Facts() {
				if !slices.Contains(strings.Fields(c.facts), fact) {
					t.Errorf("%s: %q has the fact %q, which no reader knows", name, e.Key, fact)
				}
			}
			if got := c.table.Lookup(strings.Replace(e.Key, "*", "x", 1)); got.Key == "" {
				t.Errorf("%s: %q is not found", name, e.Key)
			}
		}
		for line := range strings.Lines(c.table.text + c.table.more) {
			lines++
			if len(line) > 101 {
				t.Errorf("%s:%d: %d columns", name, lines, len(line)-1)
			}
			bad := strings.Count(line, `"`)%2 != 0 || !strings.Contains(line, ": ")
			if line != "\n" && line[0] != '#' && bad {
				t.Errorf("%s:%d: not an entry: %s", name, lines, line)
			}
		}
		if len(seen) < 10 {
			t.Errorf("%s: %d entries", name, len(seen))
		}
	}
}

// A name that no entry fits has no facts, an entry of its own comes before one with a star,
// and what is quoted keeps its blanks.
func TestLookup(t *testing.T) {
	table := &Table{text: "# a: b\na.*.c: star\na.b.c d: own other=x,,y  # why\nq: v=\"1 2,3\"\n" +
		"*end: last\n"}
	for name, want := range map[string]string{
		"": "", "a": "", "# a": "", "a.c": "", "a..c": "star", "a.x.y.c": "star", "a.b.c": "own",
		"d": "own", "A.b.c": "", "q": "v", "xend": "last", "end": "last", "*": "",
	} {
		if got, _ := table.Lookup(name).First(); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	d, q := table.Lookup("d"), table.Lookup("q")
	if got := d.Values("other"); !slices.Equal(got, []string{"x", "", "y"}) || d.Why() != "why" {
		t.Errorf("%q, %q", got, d.Why())
	}
	if got := q.Values("v"); !slices.Equal(got, []string{"1 2", "3"}) {
		t.Errorf("%q", got)
	}
	if d.Has("star") || !d.Has("star", "other") || (Entry{}).Has("own", "") ||
		q.Values("own") != nil {
		t.Error("an entry has what it has not")
	}
}

// J3: the index in the program is that of the table. UPDATE=1 writes it again.
func TestIndexIsOfTheTable(t *testing.T) {
	want := compile(variables().keys())
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("environ.index", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if environIndex != want {
		t.Error("the index is not that of environ.txt; run: make tables")
	}
	if most := len(variables().text) + len(variables().more); most >= 1<<16 {
		t.Errorf("%d bytes: four digits do not reach its end", most)
	}
}

// TestLookupFindsTheFirst holds Lookup against reading the whole table: the name's own entry, else
// the first with a star that fits.
func TestLookupFindsTheFirst(t *testing.T) {
	for name, c := range tables {
		entries := slices.Collect(c.table.Entries())
		search := func(name string) Entry {
			for _, e := range entries {
				if e.Key == name && !strings.Contains(name, "*") {
					return e
				}
			}
			for _, e := range entries {
				before, after, open := strings.Cut(e.Key, "*")
				if open && len(name) >= len(before)+len(after) &&
					strings.HasPrefix(name, before) && strings.HasSuffix(name, after) {
					return e
				}
			}
			return Entry{}
		}
		for i, e := range entries {
			for _, n := range []string{
				e.Key, e.Key + "X", e.Key[:len(e.Key)-1], e.Key + ":", e.Key + ": " + e.line,
				e.Key + " " + entries[(i+1)%len(entries)].Key, strings.Replace(e.Key, "*", "", 1),
				"",
			} {
				if got, want := c.table.Lookup(n), search(n); got != want {
					t.Errorf("%s: %q: %+v, want %+v", name, n, got, want)
				}
			}
		}
	}
}
