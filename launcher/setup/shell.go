package setup

import (
	"os"
	"path/filepath"

	"github.com/tada-run/tada-run/launcher/state"
)

// LinkShell makes the link by which a client starts tada-run as bash, and returns its path.
func (s Files) LinkShell(runner string) (string, error) {
	if err := state.PrivateDir(s.State.Links()); err != nil {
		return "", err
	}
	link := s.State.ShellLink()
	if to, err := os.Readlink(link); err == nil && to == runner {
		return link, nil
	}
	fresh := filepath.Join(s.State.Links(), ".bash-"+state.ProcessOf(os.Getpid()))
	_ = os.Remove(fresh) // of a process that died
	if err := os.Symlink(runner, fresh); err != nil {
		return "", err
	}
	return link, os.Rename(fresh, link) // a program that starts it finds the old or the new one
}
