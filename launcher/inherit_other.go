//go:build !linux && !darwin

package launcher

import (
	"os"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// Inherited returns nothing: nothing runs on this system.
func Inherited() []int { return nil }

func handDown([]int, sandbox.Profile, string) ([]int, []string) { return nil, nil }

func handIn(*os.File, sandbox.Profile) (*os.File, string, error) { return nil, "", nil }
