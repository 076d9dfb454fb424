package sandbox

import (
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

const (
	// sysFstatat is newfstatat(2) by its name here.
	sysFstatat = unix.SYS_FSTATAT
)

// legacyRules are none: this architecture began after the calls of old were replaced.
func legacyRules() []seccomp.Rule { return nil }
