package catalog

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

//go:embed git.txt
var gitText string

var git = Table{text: gitText}

// GitTable returns the table of git's settings.
func GitTable() *Table { return &git }

// Git returns what is known about a setting of git, by its name as git config prints it:
// upper and lower case are the same.
func Git(name string) Entry { return git.Lookup(strings.ToLower(name)) }

//go:embed environ.txt
var environText string

// environIndex is made ahead of time (make tables): each start asks for tens of variables.
//
//go:embed environ.index
var environIndex string

var variables = sync.OnceValue(func() *Table {
	return &Table{text: environText, more: ofAgents("", "variable"), compiled: environIndex}
})

// Variables returns the table of environment variables.
func Variables() *Table { return variables() }

// Variable returns what is known about an environment variable. Npm reads its own in upper and
// lower case alike.
func Variable(name string) Entry {
	if strings.HasPrefix(name, "NPM_CONFIG_") {
		name = strings.ToLower(name)
	}
	return variables().Lookup(name)
}

//go:embed later.txt
var laterText string

var later = sync.OnceValue(func() *Table {
	return &Table{text: laterText, more: ofAgents("", "later")}
})

// Later returns the table of names that others run or obey later.
func Later() *Table { return later() }

// ofAgents are the entries among what is known of agents: of the facts of these kinds, each with a
// fact of the table behind it.
func ofAgents(fact string, kinds ...string) string {
	var b strings.Builder
	for f := range agents.Of(kinds...) {
		b.WriteString(f.Entry())
		b.WriteString(fact)
		b.WriteByte('\n')
	}
	return b.String()
}
