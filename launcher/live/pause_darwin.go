package live

import (
	"os"
	"time"
)

// PauseAll ends every run: nothing here stops all processes of one for sure.
func (n Runs) PauseAll(within time.Duration) (paused, ended []string, err error) {
	ended, err = n.EndAll(within)
	return nil, ended, err
}

// Dial finds no session: there are none on macOS.
func (n Runs) Dial(prefix string) (conn *os.File, id string, err error) {
	run, err := n.Past(prefix)
	if err != nil {
		return nil, "", err
	}
	return nil, run.ID, &UnreachableError{ID: run.ID, Alone: true,
		Reason: "sessions to take over need Linux; you can watch this run",
		Try:    "tadactl attach " + run.ID}
}

// SweepSockets does nothing: there are none.
func (n Runs) SweepSockets() {}
