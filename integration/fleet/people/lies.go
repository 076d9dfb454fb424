package people

import (
	"context"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A Lie is what a machine has published as a question, and is none of its own. Nobody is asked it.
type Lie struct {
	Machine document.Machine
	What    string // it is
}

// Lies returns those of some members.
func (o Office) Lies(ctx context.Context, members []Member) ([]Lie, error) {
	all, err := o.published(ctx, members)
	if err != nil {
		return nil, err
	}
	var list []Lie
	for _, p := range all {
		if _, what := p.question(); what != "" {
			list = append(list, Lie{p.by.Machine, shown(what)})
		}
	}
	return list, nil
}
