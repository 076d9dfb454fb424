package watch

import (
	"fmt"
	"io"

	"github.com/tada-run/tada-run/launcher/notice"
)

// shared takes what the run was refused in the directories that all programs share into the record,
// and tells a command that failed. The launcher has seen all of it itself.
func shared(_ Before, a After, out io.Writer) Found {
	if a.Denied == nil {
		return nil
	}
	denied, more := a.Denied()
	list := make([]any, 0, len(denied))
	for i := range denied {
		d := &denied[i]
		list = append(list, Found{
			"time": d.Time.UTC().Format("2006-01-02T15:04:05.000000Z"), "pid": d.PID,
			"program": d.Program[:min(len(d.Program), maxProgramName)], "path": d.Path, "why": d.Why,
		})
		if a.Status.Shell() != 0 && i < maxTaught {
			notice.Line(out, notice.Visible(fmt.Sprintf("refused: change %q: %s", d.Path, d.Why)))
		}
	}
	if len(list) == 0 {
		return nil
	}
	o := Found{"refused": list}
	if more > 0 {
		o["more"] = more
	}
	return Found{"shared": o}
}
