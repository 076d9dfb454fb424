package watch

import (
	"fmt"
	"io"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/notice"
)

// maxTaught is how many refusals a person is shown. The log has them all. Those of caches are not
// shown: they are not why the command failed.
const maxTaught = 5

// maxProgramName bounds what a program that chose its own path puts into the record.
const maxProgramName = 256

// shared is what a run was refused in the directories that all programs share. It is shown if the
// run failed.
func shared(t broker.Traffic, failed bool, out io.Writer) Found {
	list, taught := make([]any, 0, len(t.Denied)), 0
	for i := range t.Denied {
		d := &t.Denied[i]
		list = append(list, Found{
			"time": d.Time.UTC().Format("2006-01-02T15:04:05.000000Z"), "pid": d.PID,
			"program": d.Program[:min(len(d.Program), maxProgramName)], "path": d.Path,
			"why": d.Why,
		})
		if failed && taught < maxTaught && !d.Spare() {
			taught++
			notice.Line(out, notice.Visible(fmt.Sprintf("refused: %q: %s", d.Path, d.Why)))
		}
	}
	if len(list) == 0 {
		return nil
	}
	o := Found{"refused": list}
	if t.MoreDenied > 0 {
		o["more"] = t.MoreDenied
	}
	return Found{"shared": o}
}
