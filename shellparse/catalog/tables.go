package catalog

import (
	_ "embed"
	"strings"
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

var variables = Table{text: environText}

// Variables returns the table of environment variables.
func Variables() *Table { return &variables }

// Variable returns what is known about an environment variable. Npm reads its own in upper and
// lower case alike.
func Variable(name string) Entry {
	if strings.HasPrefix(name, "NPM_CONFIG_") {
		name = strings.ToLower(name)
	}
	return variables.Lookup(name)
}

//go:embed later.txt
var laterText string

var later = Table{text: laterText}

// Later returns the table of names that others run or obey later.
func Later() *Table { return &later }
