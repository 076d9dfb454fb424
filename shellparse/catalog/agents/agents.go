package agents

import (
	_ "embed"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// text is what the files say, sorted by kind, generated ahead of time (make tables) because every
// start of the program reads it. It begins with a list of the kinds: the offset of each, in five
// digits, counted from behind the empty line that ends the list, and its name. Each fact has a
// line, with its number among all, its agent, and the rest; an empty line ends a kind. The files of
// agents with an order come first, by that order.
//
//go:embed facts
var text string

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

// All returns the facts of all agents, those of an agent together.
func All() []Fact { return slices.Collect(Of()) }

// Any is the name of the file with the marks of no one program.
const Any = "any"

// Of returns the facts of some kinds, or of all, of all agents, in their order.
func Of(kinds ...string) iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		if len(kinds) == 0 {
			kinds = all()
		}
		if len(kinds) == 1 {
			for _, f := range ofKind(kinds[0]) {
				if !yield(f) {
					return
				}
			}
			return
		}
		var room [8]section
		open := room[:0]
		for _, kind := range kinds {
			open = append(open, sectionOf(kind))
		}
		for {
			first := -1
			for i := range open {
				if open[i].line != "" && (first < 0 || open[i].line < open[first].line) {
					first = i
				}
			}
			if first < 0 || !yield(open[first].fact()) {
				return
			}
			open[first].next()
		}
	}
}

// ofKind are the facts of one kind, read once: questions of a running program ask them again.
func ofKind(kind string) []Fact {
	if list, ok := lists.Load(kind); ok {
		return list.([]Fact)
	}
	s := sectionOf(kind)
	list := make([]Fact, 0, 32)
	for ; s.line != ""; s.next() {
		list = append(list, s.fact())
	}
	lists.Store(kind, list)
	return list
}

var lists sync.Map

// all are the kinds that there are.
func all() (kinds []string) {
	list, _, _ := strings.Cut(text, "\n\n")
	for line := range strings.SplitSeq(list, "\n") {
		kinds = append(kinds, line[digits+1:])
	}
	return kinds
}

const digits = 5

// A section is what is left of the facts of a kind. Their numbers have as many digits, so that
// lines are in the order of the facts.
type section struct{ kind, line, rest string }

func sectionOf(kind string) section {
	s := section{kind: kind, rest: sections()[kind]}
	s.next()
	return s
}

// sections are what is in the text from the beginning of each kind on.
var sections = sync.OnceValue(func() map[string]string {
	of := make(map[string]string, 64)
	list, facts, _ := strings.Cut(text, "\n\n")
	for line := range strings.SplitSeq(list, "\n") {
		from, _ := strconv.Atoi(line[:digits])
		of[line[digits+1:]] = facts[from:]
	}
	return of
})

// next moves to the next line; to none at the end of the section.
func (s *section) next() {
	s.line, s.rest, _ = strings.Cut(s.rest, "\n")
	if s.line == "" {
		s.rest = ""
	}
}

func (s *section) fact() Fact {
	_, line, _ := strings.Cut(s.line, " ")
	agent, line, _ := strings.Cut(line, " ")
	return Fact{agent, s.kind, line}
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

// Lacks says why an agent has no "hook" or no "shell"; "" if that is unknown or it has one.
func Lacks(agent, what string) string {
	for f := range Of("lacks") {
		if why, ok := strings.CutPrefix(f.Text(), what+" "); f.Agent == agent && ok {
			return why
		}
	}
	return ""
}

// Platform returns the name of an agent in commands of tada-run; "" for one that has neither a hook
// nor a shell that can be set.
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
