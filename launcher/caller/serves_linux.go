package caller

import (
	"os"
	"path"
	"slices"

	"github.com/tada-run/tada-run/approval"
)

// MayServe reports whether a run may be connected to a server that the process pid has, if a person
// allows it. A program that decides, or types, for the person would let the run decide: tada-run
// itself, an agent, a program that holds terminals, and whatever this process was started by.
func MayServe(pid int) bool {
	p, _, ok := processOf(pid)
	name := path.Base(p.File)
	return ok && !sameProgram(pid) && name != "tada-run" && name != "tadactl" && !p.Steers() &&
		!slices.ContainsFunc(lineOf(os.Getpid()), func(above approval.Process) bool {
			return above.PID == pid && pid != 1 && path.Base(above.File) != hosts[0]
		})
}
