package cli

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed kinds.txt
var kindsText string

// A logKind is a kind of entries, or the first word of several kinds.
type logKind struct{ name, says string }

func logKinds() (all []logKind) {
	for line := range strings.Lines(kindsText) {
		if name, says, ok := strings.Cut(strings.TrimSpace(line), " | "); ok && name[0] != '#' {
			all = append(all, logKind{name, says})
		}
	}
	return all
}

func kindNames() (names []string) {
	for _, k := range logKinds() {
		names = append(names, k.name)
	}
	return names
}

// kindsHelp is the part of a manual that lists the kinds.
var kindsHelp = sync.OnceValue(func() string {
	text := "KINDS"
	for _, k := range logKinds() {
		text += fmt.Sprintf("\n  %-24s  %s", k.name, k.says)
	}
	return text
})
