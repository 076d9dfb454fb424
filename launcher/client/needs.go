package client

import (
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A need is something that the program of an agent needs in a session; package agents describes
// each kind.
type need struct {
	agent, kind string
	words       []string
}

// needs are all of them.
var needs = sync.OnceValue(func() (all []need) {
	for f := range agents.Of("home", "copy", "link", "login", "seed", "rest",
		"unpacks", "words", "nested", "host", "key", "base", "address", "keyname") {
		all = append(all, need{f.Agent, f.Kind, f.Words()})
	}
	return all
})

// needsOf are the needs of an agent; none for one that is not known.
func needsOf(agent string) (list []need) {
	for _, n := range needs() {
		if n.agent == agent {
			list = append(list, n)
		}
	}
	return list
}

// word is the n-th word behind the kind; "" where there is none.
func (n need) word(i int) string {
	if i < len(n.words) {
		return n.words[i]
	}
	return ""
}

// list is a word that names several things, with commas between.
func (n need) list(i int) []string {
	return slices.DeleteFunc(strings.Split(n.word(i), ","), func(s string) bool { return s == "" })
}
