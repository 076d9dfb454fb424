package watch

import (
	"io"

	"github.com/tada-run/tada-run/launcher/notice"
)

// leftRunning reports which processes the command left running. If they have ended with it, nothing
// else says so; if they continue, a separate notice does.
func leftRunning(b Before, a After, out io.Writer) Found {
	list := notice.Unique(a.Status.Left)
	if len(list) == 0 || b.Session {
		return nil
	}
	if !a.GoesOn {
		why := a.WhyEnded
		if why != "" {
			why = "; " + why
		}
		notice.Line(out, "ended with the command, which left it running: "+notice.Names(list)+why+
			"; to start what keeps running: tada-run --background 'COMMAND'")
	}
	return finding("left_running", list)
}
