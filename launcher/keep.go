package launcher

import (
	"fmt"
	"os"
	"slices"
	"syscall"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/notice"
)

// A command may leave processes running, and where the configuration says background: keep they
// continue, in its sandbox and within its limits, held by the launcher that started it. So that the
// caller gets the command's status at once, that launcher is a separate process behind the one that
// was called (Keep). It ends everything when no process is left, when the run is killed, at its
// time limit, and when the agent or the session that it was run for has ended.

// A background is what may go on when its command has ended. nil is that of a run of which nothing
// may.
type background struct {
	owner *caller.Owner
	over  bool   // the command has ended, and its caller knows
	why   string // what ended it before it ended by itself
}

// goesOn counts the processes that go on, and names them.
func goesOn(left []string) string {
	verb := "goes"
	if len(left) != 1 {
		verb = "go"
	}
	return fmt.Sprintf("%s %s on in the background (%s)", audit.Plural(len(left), "process"), verb,
		notice.Names(notice.Unique(left)))
}

// endsOn reports whether a signal to the launcher ends the background processes: there is no
// command left to receive it.
func (b *background) endsOn(sig os.Signal) bool {
	return slices.Contains([]os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT,
		syscall.SIGQUIT}, sig)
}

// isOver reports whether the command has ended and background processes continue.
func (b *background) isOver() bool { return b != nil && b.over }

// endsBy notes what ended it, the first time.
func (b *background) endsBy(why string) {
	if b.isOver() && b.why == "" {
		b.why = why
	}
}

// ownerEnded is closed when the process that the run was for has ended; nil, which never is,
// before it matters.
func (b *background) ownerEnded() <-chan struct{} {
	if !b.isOver() {
		return nil
	}
	return b.owner.Ended
}
