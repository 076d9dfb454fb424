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
