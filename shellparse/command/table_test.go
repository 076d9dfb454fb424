package command

import (
	"strings"
	"testing"
)

// An entry is a Spec and its text.
type entry struct {
	*Spec
	text string
}

// An example is a command line of an entry, with the facts it expects; nil facts for any.
type example struct {
	ok   bool
	line string
	want []string
}

func (e entry) examples() []example {
	var all []example
	for line := range strings.SplitSeq(e.text, "\n") {
		if line = strings.TrimSpace(line); !isExample(line) {
			continue
		}
		x := example{ok: line[0] == 'o'}
		rest, facts, has := strings.Cut(line[len("ok: "):], " =>")
		x.line = strings.TrimSpace(rest)
		if has {
			x.want = []string{}
			for fact := range strings.SplitSeq(facts, "; ") {
				x.want = append(x.want, strings.TrimSpace(fact))
			}
		}
		all = append(all, x)
	}
	return all
}

// entries returns every entry of the table, sub-commands included.
func entries(t testing.TB) []entry {
	var all []entry
	for _, text := range tables() {
		for at := header(text, 0); at < len(text); {
			end := header(text, at+1)
			block := text[at:end]
			at = end
			if _, ok := aliasOf(block); ok {
				continue
			}
			s, err := parseEntry(block)
			if err != nil {
				t.Error(err)
				continue
			}
			own, _, _ := strings.Cut(block, s.subs)
			if s.subs == "" {
				own = block
			}
			all = append(all, entry{s, own})
			all = append(all, children(t, s)...)
		}
	}
	return all
}

func children(t testing.TB, s *Spec) []entry {
	var all []entry
	if s.subs == "" {
		return nil
	}
	indent := leading(s.subs)
	for text := s.subs; text != ""; {
		var block string
		block, text = cutBlock(text, indent)
		if strings.TrimSpace(block) == "" {
			continue
		}
		sub, err := parseEntry(block)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		sub.up, sub.Name = s, s.Name+" "+sub.Name
		all = append(append(all, entry{sub, ""}), children(t, sub)...)
	}
	return all
}

// names returns every name that Lookup answers to.
func allNames() []string {
	var all []string
	for _, text := range tables() {
		for at := header(text, 0); at < len(text); at = header(text, at+1) {
			all = append(all, headerName(text[at:]))
		}
	}
	return all
}

// Each table is sorted, because Lookup searches by halving, and no program is told twice.
func TestTableOrder(t *testing.T) {
	seen := map[string]bool{}
	for _, text := range tables() {
		last := ""
		for at := header(text, 0); at < len(text); at = header(text, at+1) {
			name := headerName(text[at:])
			if name <= last {
				t.Errorf("%q stands behind %q", name, last)
			}
			if seen[name] {
				t.Errorf("%q stands in the table twice", name)
			}
			seen[name], last = true, name
			if _, ok := Lookup(name); !ok {
				t.Errorf("Lookup(%q) finds nothing", name)
			}
		}
	}
}

// Each entry parses, spells no option twice and names only kinds, rules and marks that exist.
func TestTableWords(t *testing.T) {
	for _, s := range entries(t) {
		if err := s.validate(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	for _, text := range tables() {
		if _, err := Parse(text); err != nil {
			t.Errorf("Parse of a whole table: %v", err)
		}
	}
}

// The examples of the table do what they say. ok: lines have nothing dangerous; no: lines
// have, and say what.
func TestTableExamples(t *testing.T) {
	count := 0
	for _, s := range entries(t) {
		for _, e := range s.examples() {
			count++
			args := argv(e.line)
			spec, ok := Lookup(base(args[0].Text))
			if !ok {
				t.Errorf("%s: example %q: no entry for %q", s.Name, e.line, args[0].Text)
				continue
			}
			u := spec.Match(args)
			got := facts(u)
			if e.ok && len(u.Hazards)+len(u.Unknown)+len(u.Opaque) > 0 {
				t.Errorf("ok: %s\n\tgot %q", e.line, got)
			}
			if e.want == nil && !e.ok {
				t.Errorf("%s: no: example %q does not say what is wrong with it", s.Name, e.line)
			}
			if missing, extra := compare(got, e.want); e.want != nil &&
				len(missing)+len(extra) > 0 {
				t.Errorf("%s\n\tmissing %q\n\textra   %q", e.line, missing, extra)
			}
		}
	}
	if len(allNames()) < 300 {
		t.Errorf("%d programs are known, want 300 (C-3.3)", len(allNames()))
	}
	t.Logf("%d names, %d examples", len(allNames()), count)
}
