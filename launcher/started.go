package launcher

import (
	"os"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/control"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/watch"
)

// A permitted is an announced run that passed every check, with the authority to start it. Only
// [announced.permitted] makes one, and only a permitted starts anything.
type permitted struct {
	*announced
	*permit.Authority
}

// A started is a run whose command runs, and all that it runs with.
type started struct {
	permitted
	*console
	bounds
	watched  watch.Comparisons // what was looked at before
	recorder *audit.Recorder
	process  *sandbox.Process
	receipt  sandbox.Receipt
	signals  chan os.Signal // ours, to be passed on
	hosting  *hosting       // of a session; nil for a single command
	wants    *wants         // asks about connections; nil if no one is asked
}

// endsBehind says why background: keep does not hold for this run; "" where it does. An approval is
// for what was shown, which had an end; what a terminal is taken from is hung up, as elsewhere.
func (s *started) endsBehind() string {
	switch {
	case s.Kind() != "policy":
		return "background: keep is not for commands that needed an approval"
	case s.terminal.HasTerminal():
		return "background: keep is not for commands that have a terminal"
	}
	return ""
}

// A hosting is what makes a run a session: others attach to it from outside, and those inside ask.
// nil is that of a single command.
type hosting struct {
	attached *control.Server
	requests *requestServer
}
