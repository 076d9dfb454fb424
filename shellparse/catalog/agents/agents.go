package agents

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"
)

// text is what the files say, a fact in each line: its agent, its kind, and the rest. The files of
// agents with an order come first, by it. It is made of them ahead of time (make tables), because
// each start of the program asks it.
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

// A place is where a fact is in the text: where its line begins and ends, and its kind.
type place struct {
	start, end      uint32
	kind, afterKind uint16 // from the start
}

func (p *place) of(kinds []string) bool {
	return len(kinds) == 0 ||
		slices.Contains(kinds, text[p.start+uint32(p.kind):p.start+uint32(p.afterKind)])
}

// places are those of all facts, found once.
var places = sync.OnceValue(func() []place {
	list := make([]place, 0, 384)
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		kind := strings.IndexByte(line, ' ') + 1
		length := strings.IndexByte(line[kind:], ' ')
		list = append(list, place{uint32(at), uint32(at + len(line)),
			uint16(kind), uint16(kind + length)})
		at += len(line) + 1
	}
	return list
})

// Of returns the facts of some kinds, or of all, of all agents.
func Of(kinds ...string) iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		all := places()
		for i := range all {
			p := &all[i]
			if !p.of(kinds) {
				continue
			}
			line := text[p.start:p.end]
			if !yield(Fact{line[:p.kind-1], line[p.kind:p.afterKind], line[p.afterKind+1:]}) {
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
