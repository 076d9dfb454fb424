package watch

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// refusals explains to a command that failed what the kernel refused: which name, by which rule,
// and the smallest change. It reads the command's own error messages, so it is a hint; what it
// reports is also logged.
func refusals(b Before, a After, out io.Writer) Found {
	if a.Status.Shell() == 0 || a.Complaints == "" {
		return nil
	}
	var told []string
	for _, d := range b.Profile.ExplainOutput(a.Complaints, b.Plan.Dir) {
		if d.Change == "limits.processes" &&
			sandbox.LimitProcesses == cmp.Or(a.Status.Exceeded, a.Status.Reached) {
			continue // reported as a limit that was counted
		}
		if d.Unnamed() && a.refusedConnection() {
			continue // it is what the message means
		}
		line := fmt.Sprintf("blocked: %s (%s; judging by the command's own error)%s", d.Object,
			d.Rule, remedy(d))
		told = append(told, line)
		notice.Line(out, notice.Visible(line))
	}
	return finding("refused", told)
}

// refusedConnection reports whether the launcher has refused a connection itself.
func (a After) refusedConnection() bool {
	return a.Traffic != nil && slices.ContainsFunc(a.Traffic().Connections,
		func(c broker.Connection) bool { return c.Refused })
}

// remedy is the smallest change, for the person who can make it. The output that led here is the
// command's own, so no rule is spelled out for what it chose to name: a person who looks at
// the judgement of a command line that names it finds what to change.
func remedy(d sandbox.Denial) string {
	switch action, _, _ := strings.Cut(d.Change, " "); action {
	case "write", "read", "no":
		return "; to ask for approval, name it in the command line"
	case "network":
		return "; name the host in the command line, or add it to network.allow: " +
			"tadactl policy edit"
	case "limits.file_size", "limits.processes":
		return "; to raise " + d.Change + ": tadactl policy edit"
	case "":
		return "; no setting allows it inside the sandbox: if you want it, run it yourself " +
			"in a terminal"
	}
	return ""
}
