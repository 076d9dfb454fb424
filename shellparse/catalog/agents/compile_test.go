package agents

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// J3: the facts in the program are those of the files. UPDATE=1 writes them again.
func TestFactsAreOfTheFiles(t *testing.T) {
	want := compile(t)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("facts", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != want {
		t.Error("the facts are not those of the files; run: make tables")
	}
}

// compile returns the facts of all files, as the program has them.
func compile(t *testing.T) string {
	type file struct {
		facts []Fact
		order int
	}
	var files []file
	for agent, content := range sources(t) {
		files = append(files, file{read(agent, content), order(content)})
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(cmp.Compare(a.order, b.order),
			strings.Compare(a.facts[0].Agent, b.facts[0].Agent))
	})
	var kinds []string
	lines := map[string][]string{}
	n := 0
	for _, f := range files {
		for _, fact := range f.facts {
			if n++; lines[fact.Kind] == nil {
				kinds = append(kinds, fact.Kind)
			}
			lines[fact.Kind] = append(lines[fact.Kind],
				fmt.Sprintf("%04d %s %s\n", n, fact.Agent, fact.text))
		}
	}
	var list, text strings.Builder
	for _, kind := range kinds {
		fmt.Fprintf(&list, "%0*d %s\n", digits, text.Len(), kind)
		text.WriteString(strings.Join(lines[kind], "") + "\n")
	}
	return list.String() + "\n" + text.String()
}

// sources returns the texts of the files, by the names of the agents.
func sources(t *testing.T) map[string]string {
	t.Helper()
	list, err := filepath.Glob("*.txt")
	if err != nil || len(list) < 20 {
		t.Fatalf("%d files: %v", len(list), err)
	}
	texts := map[string]string{}
	for _, name := range list {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(name, ".txt")] = string(content)
	}
	return texts
}

// order returns the number of the fact "order", which is the first line of a file; a great one
// where there is none.
func order(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	number, found := strings.CutPrefix(line, "order ")
	if n, err := strconv.Atoi(strings.TrimSpace(number)); found && err == nil {
		return n
	}
	return math.MaxInt
}

// read returns the facts of a file.
func read(agent, text string) (list []Fact) {
	for line := ""; text != ""; {
		line, text, _ = strings.Cut(text, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == ' ':
			before := &list[len(list)-1].text
			if !strings.HasSuffix(*before, ",") && !strings.HasSuffix(*before, "|") {
				*before += " "
			}
			*before += strings.TrimLeft(line, " ")
		default:
			kind, rest, _ := strings.Cut(line, " ")
			list = append(list, Fact{agent, kind, strings.TrimLeft(rest, " ")})
		}
	}
	return list
}
