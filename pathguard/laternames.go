package pathguard

import (
	"path"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// A laterName is an entry of the table of names that others run later (catalog/later.txt). Its name
// starts with "**/", as built-in names of any depth do.
type laterName struct {
	name, last string // with "**/"; its last component
	kept       bool
	tools      string // with commas between; "" for none
	runs       string
}

// A protectedName is a laterName that is kept. Its own tools may change it: git writes .git.
type protectedName struct{ name, tool string }

// laterNames is that table, read once.
var laterNames = sync.OnceValue(func() []laterName {
	list := make([]laterName, 0, 128)
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
	return list
})

// protectedNames are those of them that are kept.
var protectedNames = sync.OnceValue(func() []protectedName {
	list := make([]protectedName, 0, 128)
	for i := range laterNames() {
		if n := &laterNames()[i]; n.kept {
			list = append(list, protectedName{n.name, n.tools})
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
