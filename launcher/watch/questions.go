package watch

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/notice"
)

// openQuestions reports which questions a command has left open, even if it succeeded: it may have
// succeeded without what it was refused. One that failed ends with them in JSON, as any other
// question does.
func openQuestions(_ Before, a After, out io.Writer) Found {
	var ids []string
	for i, q := range a.Asked {
		if ids = append(ids, q.Envelope); i < maxTaught {
			notice.Line(out, q.Line())
		}
	}
	if more := len(ids) - maxTaught; more > 0 {
		notice.Line(out, audit.Plural(more, "more question")+" about connections: tadactl pending")
	}
	if len(ids) > 0 && a.Status.Shell() != 0 {
		line, _ := json.Marshal(map[string]any{"tada": 1, "status": "pending", "code": "connection",
			"envelopes": ids, "retry": "run the identical command again after the answer",
			"human_can": "tadactl approve " + strings.Join(ids, " ")})
		fmt.Fprintf(out, "%s\n", line)
	}
	return nil
}
