//go:build !linux

package launcher

import (
	"errors"
	"os"
	"runtime"
)

// supported says plainly what this system lacks.
func supported() error { return unsupported(runtime.GOOS) }

// judges is supported for a system that cannot find the files of a command either.
func judges() error {
	if runtime.GOOS == "darwin" {
		return nil
	}
	return supported()
}

func umask() int { return -1 }

func memfd(string, int) (int, error) { return -1, errors.ErrUnsupported }

func readHeld(*os.File) ([]byte, error) { return nil, errors.ErrUnsupported }

func sealedFile([]byte) (*os.File, error) { return nil, errors.ErrUnsupported }

func kindOf(*os.File) string { return "other" }

func (l *Launcher) packLater(int64) {}

func (l *Launcher) packIfMany(string) {}

func memoryOfMachine() int64 { return 0 }

func inotifyOfAccount() (instances, watches int64) { return 0, 0 }
