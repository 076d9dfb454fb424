package cli

import (
	"fmt"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A wrong is something that is not as it should be, and the command that says more or mends it.
type wrong struct {
	What string `json:"what"`
	Try  string `json:"try"`
}

// faults is what is wrong with the state directory and in the workspace at dir. approvals is "ok",
// or what is wrong with the store of them.
func faults(l *launcher.Launcher, dir, approvals string, undo launcher.UndoState) (list []wrong) {
	add := func(try, format string, args ...any) {
		list = append(list, wrong{fmt.Sprintf(format, args...), try})
	}
	if approvals != "ok" {
		add("tadactl audit verify", "%s", approvals)
	}
	switch v, err := l.Review(dir, false); {
	case err != nil:
		add("tadactl tamper status", "protected files: %v", err)
	case len(v.Findings) > 0:
		add("tadactl tamper diff", "%s changed outside of tada-run; nothing runs here",
			audit.Plural(len(v.Findings), "protected file"))
	}
	if n := len(l.Failing()); n > 0 {
		add("tadactl policy test", "%s of the configuration failed, so the one before it applies "+
			"too", audit.Plural(n, "case"))
	}
	if !undo.Works {
		add("tadactl doctor --verbose", "undo: %s", undo.Why)
	}
	return list
}

// lost is one line about the protections that the level lacks on this machine.
func lost(r sandbox.Report, try string) []wrong {
	if len(r.Lost) == 0 {
		return nil
	}
	return []wrong{{audit.Plural(len(r.Lost), "protection") + " of the sandbox cannot be had", try}}
}
