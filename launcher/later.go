package launcher

import (
	"fmt"
	"io"

	"github.com/tada-run/tada-run/pathguard"
)

// What runs or instructs later is kept as it is while a command runs, where the sandbox can; what is not there yet cannot
// be kept, and what people have in version control is not. A command of which not every write is known may leave it
// behind, and setting up a project is an honest reason to: so it stays, and is reported and recorded.

// lookLater remembers what there is of such names where the command works, when it could make more.
func (r *run) lookLater() pathguard.Later {
	if r.fence().Exact {
		return nil
	}
	dirs := []string{r.Plan.Dir}
	if ws := r.Plan.Workspace; ws != "" && ws != r.Plan.Dir {
		dirs = []string{ws, r.Plan.Dir}
	}
	return pathguard.LaterIn(dirs...)
}

// leftLater reports which of these names are new or changed and were not part of the plan.
func (r *run) leftLater(out io.Writer) []string {
	if r.fenced.later == nil {
		return nil
	}
	var left []string
	for _, l := range r.lookLater().Since(r.fenced.later, r.Plan) {
		left = append(left, gitLine(fmt.Sprintf("the command left %q", l.Name), fmt.Sprintf(", which runs or instructs later (%s): look at it first", l.Runs)))
	}
	left = atMost(left, "", 0)
	for _, line := range left {
		fmt.Fprintf(out, "tada-run: %s\n", line)
	}
	return left
}
