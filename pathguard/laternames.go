package pathguard

import (
	"path"
	"strings"

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

// laterNames is that table, read once; protectedNames are those that are kept.
var laterNames, protectedNames = readLater()

func readLater() (all []laterName, kept []protectedName) {
	all, kept = make([]laterName, 0, 128), make([]protectedName, 0, 96)
	for e := range catalog.Later().Entries() {
		n := laterName{
			name: "**/" + e.Key, last: path.Base(e.Key), kept: !e.Has("told"),
			tools: strings.Join(e.Values("tools"), ","), runs: e.Why(),
		}
		if all = append(all, n); n.kept {
			kept = append(kept, protectedName{n.name, n.tools})
		}
	}
	return all, kept
}

// isOne reports whether a program is one of the tools.
func isOne(program, tools string) bool {
	for tool := range strings.SplitSeq(tools, ",") {
		if tool != "" && tool == program {
			return true
		}
	}
	return false
}
