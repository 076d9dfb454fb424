//go:build !linux

package launcher

import (
	"errors"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
)

func bootID() string { return "" }

func (l *Launcher) clock() approval.Clock {
	return approval.Clock{Now: l.now(), Boot: time.Duration(0)}
}

func umask() int { return -1 }

func memfd(string) (int, error) { return -1, errors.ErrUnsupported }

func kindOf(*os.File) string { return "other" }

func runner() string { return "" }
