package launcher

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tada-run/tada-run/launcher/state"
)

// A Place says where a launcher finds its state. The zero value is the account's own.
type Place struct {
	State   string // the state directory; "" for .tada in the home of the account
	Account string // the home of the account; "" for the one in /etc/passwd
	Plain   bool   // questions are shown for a screen reader
}

// home returns the home directory of the account. $HOME does not count: the caller of the process
// controls it, and here that is the agent.
func (p Place) home() (string, error) {
	if p.Account != "" {
		return p.Account, nil
	}
	return state.AccountHome(os.Getuid())
}

// openHome returns the state directory, making it where it is missing.
func (p Place) openHome() (state.Home, error) {
	if p.State != "" {
		return state.OpenHome(p.State)
	}
	account, err := p.home()
	if err != nil {
		fix := "useradd --create-home --uid %d NAME (as root; in a container, name one that is " +
			"there: --user NAME)"
		return state.Home{}, &state.HomeError{Path: "~/.tada", Reason: err.Error(),
			Fix: fmt.Sprintf(fix, os.Getuid())}
	}
	return state.OpenHome(filepath.Join(account, ".tada"))
}

// ground is the tree that a session may write, and whose runs have servers together.
func (j *Judgement) ground() string {
	if j.Plan.Workspace != "" {
		return j.Plan.Workspace
	}
	return j.Plan.Dir
}
