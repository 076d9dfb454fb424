//go:build !linux

package cli

import (
	"errors"

	"github.com/tada-run/tada-run/launcher"
)

var errNoBackground = errors.New("--background needs Linux")

func background([]string, launcher.Place) (int, error) { return 0, errNoBackground }

func attended([]string, launcher.Place) (int, error) { return 0, errNoBackground }

func detach(*launcher.Request, *invocation) error { return errNoBackground }
