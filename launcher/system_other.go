//go:build !linux

package launcher

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// supported says plainly what this system lacks.
func supported() error {
	return fmt.Errorf("tada-run has no sandbox for %s and runs nothing without one; use Linux 5.13 or newer", runtime.GOOS)
}

func bootID() string { return "" }

func (l *Launcher) clock() approval.Clock {
	return approval.Clock{Now: l.now(), Boot: time.Duration(0)}
}

func umask() int { return -1 }

func memfd(string) (int, error) { return -1, errors.ErrUnsupported }

func kindOf(*os.File) string { return "other" }

func runner() string { return "" }

type random struct{}

func (random) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

func (l *Launcher) packLater(int64) {}

func runnerOf(int) string { return "" }

func memoryOfMachine() int64 { return 0 }

func inotifyOfAccount() (instances, watches int64) { return 0, 0 }
