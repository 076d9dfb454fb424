package agents

import (
	"cmp"
	"embed"
	"iter"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed *.txt
var files embed.FS

// A Fact is one line about an agent.
type Fact struct {
	Agent string // the name of its file
	Kind  string

	text string // what follows, the reason included
}

// Text returns a fact without its kind and its reason.
func (f Fact) Text() string {
	text, _, _ := strings.Cut(f.text, " # ")
	return strings.TrimRight(text, " ")
}

// Entry returns a fact without its kind, with its reason.
func (f Fact) Entry() string { return f.text }

// Words returns the words of a fact.
func (f Fact) Words() []string { return strings.Fields(f.Text()) }

// All returns the facts of all agents, those of an agent together. Files are read at the first
// call.
func All() []Fact { return facts() }

// Any is the name of the file with the marks of no one program.
const Any = "any"

// A start pays for each page of memory that it touches, so files are sorted before they are read.
var facts = sync.OnceValue(func() []Fact {
	list, err := files.ReadDir(".")
	if err != nil {
		panic(err) // they are a part of this program
	}
	type file struct {
		agent, text string
		order       int
	}
	sorted := make([]file, 0, 64)
	for _, entry := range list {
		content, err := files.ReadFile(entry.Name())
		if err != nil {
			panic(err)
		}
		text := string(content)
		agent := strings.TrimSuffix(entry.Name(), path.Ext(entry.Name()))
		sorted = append(sorted, file{agent, text, order(text)})
	}
	slices.SortStableFunc(sorted, func(a, b file) int { return cmp.Compare(a.order, b.order) })
	all := make([]Fact, 0, 512)
	for _, f := range sorted {
		all = read(all, f.agent, f.text)
	}
	return all
})

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

// read appends the facts of a file.
func read(all []Fact, agent, text string) []Fact {
	for line := ""; text != ""; {
		line, text, _ = strings.Cut(text, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == ' ':
			before := &all[len(all)-1].text
			if !strings.HasSuffix(*before, ",") && !strings.HasSuffix(*before, "|") {
				*before += " "
			}
			*before += strings.TrimLeft(line, " ")
		default:
			kind, rest, _ := strings.Cut(line, " ")
			all = append(all, Fact{agent, kind, strings.TrimLeft(rest, " ")})
		}
	}
	return all
}

// Of returns the facts of some kinds, of all agents.
func Of(kinds ...string) iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		all := facts()
		for i := range all { // several hundred, of which a few are wanted: they are not copied
			if f := &all[i]; slices.Contains(kinds, f.Kind) && !yield(*f) {
				return
			}
		}
	}
}

// First returns the text of the first fact of a kind that an agent has; "" for none.
func First(agent, kind string) string {
	for f := range Of(kind) {
		if f.Agent == agent {
			return f.Text()
		}
	}
	return ""
}

// Texts returns the texts of all facts of some kinds.
func Texts(kinds ...string) (list []string) {
	for f := range Of(kinds...) {
		list = append(list, f.Text())
	}
	return list
}

// Platform returns the name of an agent in commands of tada-run; "" for one without a hook.
func Platform(agent string) string { return First(agent, "platform") }

// OfPlatform returns the agent that has this name in commands of tada-run.
func OfPlatform(platform string) string {
	for f := range Of("platform") {
		if f.Text() == platform {
			return f.Agent
		}
	}
	return ""
}
