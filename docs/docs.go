// Package docs has the pages of this folder, for `tadactl help TOPIC`: the same files that are read
// on the web. [Plain] makes text for a terminal of them.
//
// The tests of the pages are in package integration: what a page tells the reader to type is typed,
// every link is followed, and each message that troubleshooting.md explains is one that the
// programs print.
package docs

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.md
var pages embed.FS

// order is that of a reader. Pages that are not in it follow.
var order = []string{"start", "how", "agents", "tested", "approvals", "undo", "network",
	"sessions", "console", "policy", "configuration", "record", "quarantine", "troubleshooting",
	"threats", "fleet", "bundles", "shipping", "capacity", "comparison", "speed", "macos",
	"packages", "glossary"}

// A Topic is a page and the sentence that it begins with.
type Topic struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// Topics are all pages.
func Topics() (list []Topic) {
	files, err := pages.ReadDir(".")
	if err != nil {
		panic(err) // it is part of the program
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".md")
		text, _ := Page(name)
		list = append(list, Topic{name, about(text)})
	}
	place := func(t Topic) int {
		if at := slices.Index(order, t.Name); at >= 0 {
			return at
		}
		return len(order)
	}
	slices.SortStableFunc(list, func(a, b Topic) int { return place(a) - place(b) })
	return list
}

// about is the heading of a page.
func about(page string) string {
	title, _, _ := strings.Cut(strings.TrimPrefix(page, "# "), "\n")
	return title
}

// Page returns a page in Markdown; false if there is none of that name.
func Page(name string) (string, bool) {
	if strings.ContainsAny(name, "/.") {
		return "", false
	}
	text, err := pages.ReadFile(name + ".md")
	return string(text), err == nil
}
