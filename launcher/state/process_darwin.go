package state

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// processOf is when a process started, and by which one.
func processOf(pid int) (started string, parent int, ok bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", 0, false
	}
	at := p.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", at.Sec, at.Usec), int(p.Eproc.Ppid), true
}
