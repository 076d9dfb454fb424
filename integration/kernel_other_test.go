//go:build !linux

package integration

import (
	"errors"
	"os/exec"
)

// The stories need Linux. Elsewhere they are built, for vet, and fail.

func ownMounts(cmd *exec.Cmd) { cmd.Err = errors.ErrUnsupported }

func stopHere() error { return errors.ErrUnsupported }

func socketPair() ([2]int, error) { return [2]int{}, errors.ErrUnsupported }

func keepOutput(int) error { return errors.ErrUnsupported }
