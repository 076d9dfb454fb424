package render

import (
	"slices"

	"github.com/tada-run/tada-run/approval/canonical"
)

// A Change is what a plan says will happen to a file or a folder.
type Change struct {
	Word   string // "delete", "create" or "write"
	Path   string // inert
	Amount string // of what is deleted: "214 files, 3.1 MB"; "" if it is not known
}

// Changes returns the changes that a plan names: what is deleted, then what is written. It is empty
// for bytes that are not a plan.
func Changes(payload []byte) (list []Change) {
	tree, err := canonical.Parse(payload)
	top, ok := tree.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	objects := []any{top}
	calls, _ := object(top).takeList("tool_calls")
	for _, x := range append(objects, calls...) {
		o, _ := x.(map[string]any)
		list = append(list, changesOf(o)...)
	}
	slices.SortStableFunc(list, func(a, b Change) int {
		return slices.Index(changeOrder, a.Word) - slices.Index(changeOrder, b.Word)
	})
	return slices.Compact(list)
}

var changeOrder = []string{"delete", "create", "write"}

func changesOf(o object) (list []Change) {
	targets := targetsOf(o)
	effects := o.takeObject("effects")
	for _, word := range []string{"delete", "write"} {
		names, _ := effects.takeList(word)
		for _, x := range names {
			name, ok := x.(string)
			if !ok || slices.Contains(untold, name) {
				continue
			}
			c := Change{Word: word, Path: textOf(delimited(name))}
			switch t := targets[name]; {
			case word == "delete":
				c.Amount = t.amount
			case t.made:
				c.Word = "create"
			}
			list = append(list, c)
		}
	}
	return list
}
