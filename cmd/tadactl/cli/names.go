package cli

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard"
)

//go:embed names.txt
var namesText string

// A named is a name in the documents that tada-run follows: it works, or a line says what to use
// instead. There is no other list: docs/seeds.md is made from it.
type named struct{ kind, name, how, say string }

func names() []named {
	var all []named
	for line := range strings.Lines(namesText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if f := strings.SplitN(strings.TrimSpace(line), " | ", 4); len(f) == 4 {
			all = append(all, named{f[0], f[1], f[2], f[3]})
		}
	}
	at := slices.IndexFunc(all, func(n named) bool { return n.kind == "field" })
	for _, key := range slices.Sorted(maps.Keys(pathguard.ForeignKeys())) {
		all = slices.Insert(all, at, named{"key", key, "no", pathguard.ForeignKeys()[key]})
		at++
	}
	return all
}

// insteadOf returns what to use in place of a name, "" for a name that works or that is in no
// document.
func insteadOf(kind, name string) string {
	for _, n := range names() {
		if n.kind == kind && n.name == name && n.how != "works" {
			return n.say
		}
	}
	return ""
}

// ignoredVariables returns the variables that are set and are named in the documents, but that
// tada-run does not read.
func ignoredVariables(isSet func(string) (string, bool)) []named {
	var all []named
	for _, n := range names() {
		if _, ok := isSet(n.name); ok && n.kind == "variable" && n.how != "works" {
			all = append(all, n)
		}
	}
	return all
}

// hintFor returns what to use in place of the verb or flag that an error is about.
func hintFor(err error) string {
	text := err.Error()
	for _, n := range names() {
		switch {
		case n.how == "works":
		case n.kind == "verb" && strings.Contains(text, fmt.Sprintf("unknown command %q for ",
			n.name)), n.kind == "flag" && strings.HasSuffix(text, "unknown flag: "+n.name):
			return n.name + ": " + n.say
		}
	}
	return ""
}
