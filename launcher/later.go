package launcher

import (
	"fmt"
	"io"
	"slices"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse/command"
)

// What runs or instructs later is kept as it is while a command runs, where the fence can; what is
// not there yet cannot be kept. A command of which not every write is known may leave it behind, and
// setting up a project is an honest reason to: so it stays, and is told and recorded.

// lookLater remembers what there is of such names where the command works, when it could make more.
func (r *run) lookLater() []string {
	if r.fence().Exact {
		return nil
	}
	dirs := []string{r.Plan.Dir}
	if ws := r.Plan.Workspace; ws != "" && ws != r.Plan.Dir {
		dirs = append(dirs, ws)
	}
	later := []string{}
	for _, dir := range dirs {
		later = append(later, pathguard.LaterIn(dir)...)
	}
	return later
}

// leftLater tells which of these names are new and were not part of the plan.
func (r *run) leftLater(out io.Writer) []string {
	if r.fenced.later == nil {
		return nil
	}
	var left []string
	for _, name := range r.lookLater() {
		if !slices.Contains(r.fenced.later, name) && !r.planned(name) {
			left = append(left, gitLine(fmt.Sprintf("the command left %q", name), ", which runs or instructs later: look at it first"))
		}
	}
	left = atMost(left, "", 0)
	for _, line := range left {
		fmt.Fprintf(out, "tada-run: %s\n", line)
	}
	return left
}

// planned reports whether the plan said that it writes a name, or something in it.
func (r *run) planned(name string) bool {
	return slices.ContainsFunc(r.Plan.Targets, func(t pathguard.Target) bool {
		return t.Right != command.Read && t.Flags&command.Possible == 0 && isWithin(t.Path(), name)
	})
}
