package launcher

import (
	"fmt"
	"io"

	"github.com/tada-run/tada-run/pathguard"
)

// What runs or instructs later is kept as it is while a command runs, where the sandbox can; what is not there yet cannot
// be kept, and what people have in version control is not. A command of which not every write is known may leave it
// behind, and setting up a project is an honest reason to: so it stays, and is reported and recorded.

// laterFiles reports which of these names are new or changed and were not part of the plan.
func laterFiles(b before) compare {
	was := b.later()
	if was == nil {
		return nil
	}
	return func(e *ended, out io.Writer) (object, error) {
		var left []string
		for _, l := range e.later().Since(was, e.Plan) {
			left = append(left, gitLine(fmt.Sprintf("the command left %q", l.Name), fmt.Sprintf(", which runs or instructs later (%s): look at it first", l.Runs)))
		}
		left = atMost(left, "", 0)
		for _, line := range left {
			fmt.Fprintf(out, "tada-run: %s\n", line)
		}
		return finding("left_for_later", left), nil
	}
}

// later is what there is of such names where the command works; nil when it can make no more.
func (j *Judgement) later() pathguard.Later {
	if j.fence().Exact {
		return nil
	}
	dirs := []string{j.Plan.Dir}
	if ws := j.Plan.Workspace; ws != "" && ws != j.Plan.Dir {
		dirs = []string{ws, j.Plan.Dir}
	}
	return pathguard.LaterIn(dirs...)
}
