package sandbox

import "golang.org/x/sys/unix"

const (
	// sysFstatat is newfstatat(2) by its name here.
	sysFstatat = unix.SYS_FSTATAT

	auditArch    = unix.AUDIT_ARCH_AARCH64
	firstForeign = 0 // 32-bit calls come with another architecture word
)

// legacyRules is empty: this architecture began after the calls of old were replaced.
var legacyRules []rule
