package pathguard

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A laterName is an entry of the table of names that others run later (catalog/later.txt). Its name
// starts with "**/", as built-in names of any depth do.
type laterName struct {
	name, last string // with "**/"; its last component
	kept       bool
	tools      string // with commas between; "" for none
	only       string // the agents that run it, with commas between; "" for a name of the table
	runs       string
}

// A protectedName is a laterName that is kept. Its own tools may change it: git writes .git.
type protectedName struct{ name, tool, only string }

// laterNames is that table, read once.
var laterNames = sync.OnceValue(func() []laterName {
	list := make([]laterName, 0, 144)
	for e := range catalog.Later().Entries() {
		n := laterName{name: "**/" + e.Key, last: path.Base(e.Key), kept: true, runs: e.Why()}
		for fact, value := range e.Facts() {
			switch fact {
			case "told":
				n.kept = false
			case "tools":
				n.tools = value
			}
		}
		list = append(list, n)
	}
	return append(list, loaded()...)
})

// loaded are names that some agents take variables from, before they start a hook in a shell, and
// that belong to other programs where no such agent works.
func loaded() (list []laterName) {
	for f := range agents.Of("loads") {
		name := "**/" + f.Text()
		i := slices.IndexFunc(list, func(n laterName) bool { return n.name == name })
		if i < 0 {
			list = append(list, laterName{name: name, last: path.Base(name), kept: true,
				only: f.Agent, runs: loadedWhy})
			continue
		}
		list[i].only += "," + f.Agent
	}
	return list
}

const loadedWhy = "an agent that works here takes variables from it, before it starts a hook"

// protectedNames are those of them that are kept.
var protectedNames = sync.OnceValue(func() []protectedName {
	list := make([]protectedName, 0, 144)
	for i := range laterNames() {
		if n := &laterNames()[i]; n.kept {
			list = append(list, protectedName{n.name, n.tools, n.only})
		}
	}
	return list
})

// isOne reports whether a program is one of the tools.
func isOne(program, tools string) bool {
	for tool := range strings.SplitSeq(tools, ",") {
		if tool != "" && tool == program {
			return true
		}
	}
	return false
}
