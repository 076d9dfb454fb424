//go:build !linux

package cli

import (
	"errors"

	"github.com/tada-run/tada-run/launcher"
)

const needsLinux = " needs Linux; use a virtual machine: tadactl help macos"

// What needs Linux is refused: a run in the background, and a session, whose commands are handed
// over inside of it.
var (
	errNoBackground = errors.New("--background" + needsLinux)
	errNoSession    = errors.New("--session" + needsLinux)
)

func background([]string, launcher.Place) (int, error) { return 0, errNoBackground }

func attended([]string, launcher.Place) (int, error) { return 0, errNoSession }

func detach(*launcher.Request, *invocation) error { return errNoBackground }
