package pathguard

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A laterName is an entry of the table of names that others run later (catalog/later.txt). Its name
// starts with "**/", as built-in names of any depth do.
type laterName struct {
	name, last string // with "**/"; its last component
	kept       bool
	tools      string // with commas between; "" for none
	apart      string // a folder in it whose files are work like any other; "" for none
	only       string // the agents that run it, with commas between; "" for a name of the table
	runs       string
}

// laterNames is that table, read once.
var laterNames = sync.OnceValue(func() []laterName {
	list := make([]laterName, 0, 144)
	var deep strings.Builder
	deep.Grow(4 << 10)
	for keys, e := range catalog.Later().Groups() {
		all := laterName{kept: true, runs: e.Why()}
		for fact, value := range e.Facts() {
			switch fact {
			case "told":
				all.kept = false
			case "tools":
				all.tools = value
			case "apart":
				all.apart = value
			}
		}
		for key := range strings.SplitSeq(keys, " ") {
			n := all
			n.name, n.last = pathname.Deep(&deep, key), path.Base(key)
			list = append(list, n)
		}
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

// isOne reports whether a program is one of the tools.
func isOne(program, tools string) bool {
	for tool := range strings.SplitSeq(tools, ",") {
		if tool != "" && tool == program {
			return true
		}
	}
	return false
}
