//go:build amd64 || arm64

package sandbox

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// newStatus reads the kernel's answer.
func newStatus(ws syscall.WaitStatus, usage syscall.Rusage) Status {
	s := Status{
		Exited: ws.Exited(), Continued: ws.Continued(), CoreDump: ws.CoreDump(),
		UserTime: time.Duration(usage.Utime.Nano()), SystemTime: time.Duration(usage.Stime.Nano()),
		MaxMemory: usage.Maxrss << 10,
	}
	switch {
	case ws.Exited():
		s.Code = ws.ExitStatus()
	case ws.Signaled():
		s.Signal = ws.Signal()
	case ws.Stopped():
		s.Stopped = ws.StopSignal()
	}
	return s
}

// siginfo is what waitid(2) returns about a child, on amd64 and arm64.
type siginfo struct {
	signo, errno, code, _ int32
	child, uid, status    int32
}

// Why a child changed (sigaction(2), si_code).
const (
	childExited = 1
	childKilled = 2
	childDumped = 3
)

// over reports whether the change is the end.
func over(info *unix.Siginfo) bool {
	return info.Code == childExited || info.Code == childKilled || info.Code == childDumped
}

// waitStatus is what wait4(2) would have returned.
func waitStatus(info *unix.Siginfo) syscall.WaitStatus {
	i := (*siginfo)(unsafe.Pointer(info))
	switch i.code {
	case childExited:
		return syscall.WaitStatus(i.status&0xff) << 8
	case childDumped:
		return syscall.WaitStatus(i.status | 0x80)
	}
	return syscall.WaitStatus(i.status)
}
