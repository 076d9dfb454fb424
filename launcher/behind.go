package launcher

import (
	"fmt"
	"io"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// maxBehind is how many of the processes that a command left running are told of.
const maxBehind = 5

// leftBehind tells which processes the command left running: they have ended with it, and nothing else says so.
func (r *run) leftBehind(out io.Writer, s sandbox.Status) []string {
	list := names(s.Left)
	if len(list) == 0 || r.desk != nil {
		return nil
	}
	why := ""
	if r.policy.Settings().KeepBackground {
		if why = r.endsBehind(); why != "" {
			why = "; " + why
		}
	}
	fmt.Fprintf(out, "tada-run: ended with the command, which left it running: %s%s; to start what keeps running: tada-run --background 'COMMAND'\n", shownNames(list), why)
	return list
}
