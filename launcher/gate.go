package launcher

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard"
)

// gateRC is what the shell of a session reads when it starts.
//
//go:embed gate.bash
var gateRC string

// gateScript is gateRC for a tada-run at that path.
func gateScript(door string) string {
	return strings.Replace(gateRC, "@DOOR@", "'"+strings.ReplaceAll(door, "'", `'\''`)+"'", 1)
}

// gateRule is what makes an interactive shell a question: its input cannot be known in advance.
const gateRule = "code.stdin"

// lineByLine is the verdict on a shell that asks about each line before it runs it: that its input
// cannot be seen now is no reason any more.
func lineByLine(v pathguard.Verdict) pathguard.Verdict {
	v.Reasons = slices.DeleteFunc(slices.Clone(v.Reasons),
		func(r pathguard.Reason) bool { return r.Rule == gateRule })
	v.Risk, v.Contained = 0, true
	decision := pathguard.Allow
	for _, r := range v.Reasons { // the strictest is first
		v.Risk = max(v.Risk, r.Risk)
		if decision == pathguard.Allow {
			decision = r.Decision
		}
	}
	if v.Decision != pathguard.Deny {
		v.Decision = decision
	}
	return v
}
