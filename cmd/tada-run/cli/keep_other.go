//go:build !linux

package cli

import "github.com/tada-run/tada-run/launcher"

type keeper struct{}

func (*invocation) fronts(*launcher.Launcher) bool { return false }

func front([]string) (int, error) { return 0, errNoBackground }

func kept(argv []string) ([]string, *keeper) { return argv, nil }

func (*keeper) keep([]int) *launcher.Keep { return nil }
