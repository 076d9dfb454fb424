//go:build !linux

package launcher

import "github.com/tada-run/tada-run/launcher/sandbox"

// Inherited returns nothing: nothing runs on this system.
func Inherited() []int { return nil }

func handDown([]int, sandbox.Profile) ([]int, []string) { return nil, nil }
