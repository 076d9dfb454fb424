package command

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed names.txt
var nameText string

// nameLists are read at the first question.
var nameLists = sync.OnceValue(func() map[string][]string {
	lists, key := map[string][]string{}, ""
	for line := range strings.Lines(nameText) {
		name, isHead := strings.CutSuffix(strings.TrimSpace(line), ":")
		switch {
		case strings.HasPrefix(line, "#"), line == "\n":
		case isHead:
			key = name
		default:
			lists[key] = append(lists[key], strings.Fields(line)...)
		}
	}
	return lists
})

// list returns the names of a list of names.txt.
func list(name string) []string { return nameLists()[name] }
