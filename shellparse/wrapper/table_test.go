package wrapper

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

func nothing(func(agents.Fact) bool) {}

// How the table is read: what is of one program, and what of all.
func TestRead(t *testing.T) {
	list, err := read("# words\nhole own x+\nhole name n\n\nclient any\naround true # why\n"+
		"client a\nidle\naround  two words  # why\nown run <own>\naround go <none>\n"+
		"client b\nagain\nhole own y+\nbody { first <name>\nbody (\n", nothing)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	a, b := list[0], list[1]
	if a.name != "a" || b.name != "b" || !a.idle || b.idle || a.again || !b.again {
		t.Errorf("%+v\n%+v", a, b)
	}
	if a.holes["own"] != "x+" || b.holes["own"] != "y+" || b.holes["name"] != "n" {
		t.Errorf("holes %v\n%v", a.holes, b.holes)
	}
	if words := slices.Sorted(maps.Keys(a.lines)); !slices.Equal(words,
		[]string{"go", "run", "two"}) || a.lines["two"][0].text != "two words" ||
		a.lines["run"][0].role != carries || a.common["true"][0].role != stands {
		t.Errorf("lines of a: %v", a.lines)
	}
	if got := a.match(&piece{words: []string{"go", ""}}, nil); got != none {
		t.Errorf("a hole of no shape: %v", got)
	}
	if len(b.lines) != 0 || len(b.common) != 1 || len(a.bodies) != 0 || len(b.bodies) != 2 ||
		b.bodies[0].open != "{" || b.bodies[0].first.text != "first <name>" ||
		b.bodies[1].open != "(" || b.bodies[1].first != nil {
		t.Errorf("b: %v, %v", b.lines, b.bodies)
	}
}

// A row that is none names its line.
func TestReadWrong(t *testing.T) {
	for text, want := range map[string]string{
		"\naround true\nclient a":   `wrappers.txt:2: "around true" before a client`,
		"client a\n\nidle now":      `wrappers.txt:3: "idle now" is no entry`,
		"client a\nagain now":       `wrappers.txt:2: "again now" is no entry`,
		"client a\nhole x":          `wrappers.txt:2: "hole x" is no entry`,
		"client a\nbody ":           `wrappers.txt:2: "body " is no entry`,
		"client a\naround  # why":   `wrappers.txt:2: "around " is no entry`,
		"client a\nunknown x\nidle": `wrappers.txt:2: "unknown x" is no entry`,
	} {
		if _, err := read(text, nothing); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
	if _, err := read("", agents.Of("title")); err == nil ||
		!strings.Contains(err.Error(), ".txt: \"title ") {
		t.Errorf("a fact that is none: %v", err)
	}
}
