package watch

import (
	"fmt"
	"io"

	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/pathguard"
)

// What runs or instructs later is kept as it is while a command runs, where the sandbox can; what
// is not there yet cannot be kept, and what people have in version control is not. A command of
// which not every write is known may leave it behind, and setting up a project is an honest reason
// to: so it stays, and is reported and recorded.

// laterFiles reports which of these names are new or changed and were not part of the plan.
func laterFiles(b Before) compare {
	was := b.later()
	if was == nil {
		return nil
	}
	return func(_ After, out io.Writer) (Found, error) {
		var left []string
		for _, l := range b.later().Since(was, b.Plan) {
			left = append(left, line(fmt.Sprintf("the command left %q", l.Name),
				fmt.Sprintf(", which runs or instructs later (%s): look at it first", l.Runs)))
		}
		left = notice.AtMost(left, "", 0)
		for _, each := range left {
			notice.Line(out, each)
		}
		return finding("left_for_later", left), nil
	}
}

// later is what there is of such names where the command works; nil when it can make no more.
func (b Before) later() pathguard.Later {
	if b.Exact {
		return nil
	}
	dirs := []string{b.Plan.Dir}
	if ws := b.Plan.Workspace; ws != "" && ws != b.Plan.Dir {
		dirs = []string{ws, b.Plan.Dir}
	}
	return pathguard.LaterIn(&b.Plan.Caller, dirs...)
}
