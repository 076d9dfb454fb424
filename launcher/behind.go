package launcher

import (
	"fmt"
	"io"
)

// maxBehind is how many of the processes that a command left running are told of.
const maxBehind = 5

// leftRunning tells which processes the command left running. Where they have ended with it,
// nothing else says so; where they go on, the notice about that does.
func leftRunning(e *ended, out io.Writer) object {
	list := names(e.status.Left)
	if len(list) == 0 || e.Request.Hold != nil {
		return nil
	}
	if !e.goesOn {
		why := ""
		if e.policy.Settings().KeepBackground {
			if why = e.endsBehind(); why != "" {
				why = "; " + why
			}
		}
		fmt.Fprintf(out, "tada-run: ended with the command, which left it running: %s%s; to start what keeps running: tada-run --background 'COMMAND'\n", shownNames(list), why)
	}
	return finding("left_running", list)
}
