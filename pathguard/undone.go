package pathguard

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed table/undo.txt
var undoTable string

// undone is undoTable, read once.
var undone = sync.OnceValue(func() (t struct {
	hazards map[string]bool
	places  [places]string
}) {
	t.hazards = map[string]bool{}
	for line := range strings.Lines(undoTable) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch kind {
		case "hazard":
			t.hazards[rest] = true
		case "place":
			name, why, _ := strings.Cut(rest, ": ")
			t.places[slices.Index(placeNames[:], name)] = why
		}
	}
	return t
})
