package agents

import (
	"slices"
	"strings"
	"testing"
)

// kinds are the kinds of facts, with the least and the most words that follow.
var kinds = map[string][2]int{
	"title": {1, 4}, "platform": {1, 1}, "npm": {1, 1}, "order": {1, 1},
	"mark": {1, 1}, "conversation": {1, 2}, "program": {1, 1}, "script": {1, 1}, "called": {1, 1},
	"sets": {1, 1}, "path": {1, 1}, "saver": {1, 1}, "scratch": {1, 1},
	"variable": {2, 20}, "later": {2, 20}, "secret": {1, 1}, "startup": {1, 1}, "installed": {1, 1},
	"snapshots": {1, 1}, "logs": {1, 1}, "saves": {1, 1}, "cache": {3, 9},
	"home": {2, 2}, "copy": {1, 1}, "link": {1, 1}, "login": {1, 1}, "seed": {3, 3}, "rest": {1, 2},
	"unpacks": {1, 1}, "words": {1, 9},
	"nested": {2, 40},
	"host":   {1, 1}, "key": {1, 2}, "base": {1, 1}, "address": {2, 2}, "keyname": {2, 2},
	"loads": {1, 1}, "switch": {4, 9}, "rules": {3, 4}, "policies": {4, 5},
	"given": {2, 3}, "asks": {0, 0}, "shell": {2, 2},
	"settings": {2, 3}, "hook": {2, 2}, "reads": {1, 3}, "extra": {2, 3}, "managed": {1, 2},
	"shellby": {1, 2}, "lacks": {2, 30}, "patience": {1, 1}, "note": {1, 30},
	"sandbox": {1, 30}, "trust": {1, 1},
	"hole": {2, 9}, "idle": {0, 0}, "around": {1, 9}, "number": {1, 9}, "flag": {1, 9},
	"save": {1, 9},
	"test": {1, 9}, "restore": {1, 9}, "drop": {1, 9}, "forget": {1, 9}, "own": {1, 9},
	"body": {1, 9},
}

// J3: every line about an agent is of a kind that has a reader, and no fact is there twice.
func TestFacts(t *testing.T) {
	seen := map[Fact]bool{}
	for _, f := range All() {
		n, known := kinds[f.Kind]
		if words := len(f.Words()); !known || words < n[0] || words > n[1] {
			t.Errorf("%s.txt: %s %s: not a fact", f.Agent, f.Kind, f.Text())
		}
		one := Fact{f.Agent, f.Kind, f.Text()}
		if seen[one] {
			t.Errorf("%s.txt: %s %s is there twice", f.Agent, f.Kind, f.Text())
		}
		seen[one] = true
	}
	for agent, content := range sources(t) {
		if strings.Contains(content, "\norder") {
			t.Errorf("%s.txt: the order is not the first line, where it is looked for", agent)
		}
		if !slices.ContainsFunc(All(), func(f Fact) bool { return f.Agent == agent }) {
			t.Errorf("%s.txt has no facts", agent)
		}
		for line := range strings.Lines(content) {
			if len(line) > 101 {
				t.Errorf("%s.txt: a line of %d columns: %s", agent, len(line)-1, line)
			}
		}
	}
}

// What tells one agent from another is of one agent alone.
func TestFactsOfOneAgent(t *testing.T) {
	own := []string{"title", "platform", "npm", "order", "mark", "called", "program", "script"}
	of := map[string]string{}
	for f := range Of(own...) {
		key := f.Kind + " " + f.Text()
		if of[key] != "" {
			t.Errorf("%s is of %s and %s", key, of[key], f.Agent)
		}
		of[key] = f.Agent
	}
}

// The facts of agents with an order come first, by it; a fact ends before its reason, and a line
// that begins with a blank continues the one before.
func TestRead(t *testing.T) {
	facts := read("x", "# no\nkind  a b # why\n\nlist  c,\n      d\n  e\nflag\n")
	want := []Fact{{"x", "kind", "a b # why"}, {"x", "list", "c,d e"}, {"x", "flag", ""}}
	if !slices.Equal(facts, want) {
		t.Errorf("%q", facts)
	}
	if facts[0].Text() != "a b" || facts[0].Entry() != "a b # why" {
		t.Errorf("%q", facts[0].Text())
	}
	if all := All(); all[0].Agent != OfPlatform("claude-code") || all[len(all)-1].Kind == "order" {
		t.Errorf("the first fact is of %q", all[0].Agent)
	}
}
