//go:build linux || darwin

package launcher

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/shellparse"
)

// Inside reports whether this process runs in a sandbox of tada-run, according to the kernel.
func Inside() bool { return sandbox.Inside() }

// ExecShell puts the real shell of the dialect in the place of this process. Argv[0] is the
// name that the shell is to be called by. It returns only an error.
func ExecShell(d shellparse.Dialect, argv, env []string) error {
	path, err := shell.Real(d)
	if err != nil {
		return err
	}
	return fmt.Errorf("execute %q: %w", path, unix.Exec(path, argv, env))
}
