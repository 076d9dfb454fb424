//go:build !linux

package served

import "syscall"

func endsWithParent() *syscall.SysProcAttr { return nil }
