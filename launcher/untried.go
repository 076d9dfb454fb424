package launcher

import (
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// untried says that a sandbox was tried on no machine of this system, and what it does not keep; ""
// where it was.
func untried(r sandbox.Receipt, answersCalls bool) string {
	if answersCalls {
		return ""
	}
	var lost []string
	for _, l := range r.Lost {
		lost = append(lost, string(l.Protection))
	}
	return fmt.Sprintf("commands run in Seatbelt, with which tada-run has not been tried on a "+
		"Mac; to try it: tadactl doctor --attack; LOST: %s (shown once; tadactl help macos)",
		strings.Join(lost, ", "))
}
