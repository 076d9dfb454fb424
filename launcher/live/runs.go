package live

import (
	"syscall"

	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/state"
)

// Runs are those of a state directory.
type Runs struct {
	*past.Reader
	dir *state.Directory
}

// Of returns the runs on record in a state directory.
func Of(r *past.Reader, dir *state.Directory) Runs { return Runs{r, dir} }

// Order tells a launcher to look whether its machine is frozen. A launcher that does not know it
// ignores it.
const Order = syscall.Signal(44)
