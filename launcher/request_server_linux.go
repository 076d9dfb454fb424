package launcher

import (
	"sync"

	"github.com/tada-run/tada-run/launcher/control"
)

// A requestServer judges and answers what those inside a session ask.
type requestServer struct {
	r *started
	*control.Requests

	mu    sync.Mutex
	line  string          // the last line of the shell that was let go
	entry int             // of its history
	ended func(told *int) // records its end; nil once that is recorded
}
