package launcher

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// socketFolder names the variable that tells tmux where its sockets are.
const socketFolder = "TMUX_TMPDIR"

// ownSockets makes a folder of the session's own in a shared directory for the sockets of tmux; ""
// for none. At the usual name, /tmp/tmux-1000, the person's own tmux would find what the session
// serves there.
func (j *Judgement) ownSockets() (folder string, err error) {
	shared := j.sharedDirs()
	if j.Request.Hold == nil || len(shared) == 0 {
		return "", nil
	}
	if folder, err = os.MkdirTemp(shared[0], "tada-run-"); err != nil {
		err = fmt.Errorf("make the folder for sockets of the session: %w", err)
	}
	return folder, err
}

// withSockets is an environment that names such a folder. The tmux that the session was started in
// is out of its reach.
func withSockets(env []string, folder string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		return strings.HasPrefix(kv, socketFolder+"=") || strings.HasPrefix(kv, "TMUX=")
	})
	return append(env, socketFolder+"="+folder)
}
