//go:build !linux && !darwin

package launcher

import (
	"errors"
	"os"
	"runtime"
)

// supported says plainly what this system lacks.
func supported() error { return unsupported(runtime.GOOS) }

func judges() error { return supported() }

const answersCalls = false

const hostsElsewhere = "use Linux"

func umask() int { return -1 }

func memfd(string, int) (int, error) { return -1, errors.ErrUnsupported }

func readHeld(*os.File) ([]byte, error) { return nil, errors.ErrUnsupported }

func sealedFile([]byte) (*os.File, error) { return nil, errors.ErrUnsupported }

func kindOf(*os.File) string { return "other" }

func memoryOfMachine() int64 { return 0 }

func inotifyOfAccount() (instances, watches int64) { return 0, 0 }
