package approval

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/render"
)

// After returns what is shown beside the page of a question, in lines: the program whose text was
// around the command, and that a near-identical question was denied before. "" if there is neither.
func (e Envelope) After() string {
	var lines []string
	if e.Through != "" {
		lines = append(lines, " through "+render.Inert(e.Through))
	}
	if e.Refused != "" {
		lines = append(lines, " note   you denied a similar command: tadactl show "+e.Refused)
	}
	return strings.Join(lines, "\n")
}

// Grouped returns the questions with near-identical ones side by side: the riskiest group first,
// then the oldest, and within a group the oldest question first.
func Grouped(list []Envelope) []Envelope {
	groups := map[string][]Envelope{}
	for _, e := range list {
		key := cmp.Or(e.Kin, "of its own "+e.ID)
		groups[key] = append(groups[key], e)
	}
	order := slices.Collect(maps.Values(groups))
	for _, g := range order {
		slices.SortStableFunc(g, older)
	}
	slices.SortFunc(order, func(a, b []Envelope) int {
		return cmp.Or(cmp.Compare(b[0].Risk, a[0].Risk), older(a[0], b[0]))
	})
	return slices.Concat(order...)
}

func older(a, b Envelope) int { return cmp.Or(a.Issued.Compare(b.Issued), cmp.Compare(a.ID, b.ID)) }
