package caller

import (
	"fmt"
	"strconv"

	"github.com/tada-run/tada-run/approval"
)

// MayAsk returns nil when process pid, of this user, runs outside every sandbox, as this process
// does; else an error that wraps [approval.ErrPeer]. The marks of a sandbox are inherited and never
// cleared: no_new_privs and one more filter than this process has itself, which may run in a
// container that has some.
func MayAsk(pid int) error {
	own, ok := statusOf("self")
	peer, known := statusOf(strconv.Itoa(pid))
	switch {
	case !ok || !known:
		return fmt.Errorf("process %d: %w: it could not be identified", pid, approval.ErrPeer)
	case peer.noNewPrivs && !own.noNewPrivs, peer.filters > own.filters:
		return fmt.Errorf("process %d: %w: it runs inside a sandbox", pid, approval.ErrPeer)
	}
	return nil
}
