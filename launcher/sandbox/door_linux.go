//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// A run may have a door (Command.Door): a descriptor that whoever is in the fence can ask for. A process inherits it as well, but most runtimes close what
// they inherit before they start a program. The asking is a system call that the filter hands over, so it needs no name and no secret, and it is the kernel that
// says who asks. No program makes that call: it is pidfd_getfd(2), which a fence refuses, with arguments that fit no process.
const (
	doorCall = unix.SYS_PIDFD_GETFD
	doorMark = 0x74616461
)

// doorRules hand the one call over; all others like it stay refused.
func (b *builder) doorRules() []seccomp.Rule {
	if b.command.Door == nil || !b.asks() {
		return nil
	}
	return []seccomp.Rule{seccomp.On(doorCall, seccomp.Ask, seccomp.Arg(0, ^uint32(0)), seccomp.Arg(1, doorMark))}
}

// ErrNoDoor is returned by Door where nobody answers: outside of a fence, and in one without a door.
var ErrNoDoor = errors.New("no connection out of the sandbox")

// Door returns a copy of the door's descriptor for this process. An exec closes it.
func Door() (int, error) {
	fd, _, errno := unix.Syscall(doorCall, ^uintptr(0), doorMark, 0)
	if errno != 0 {
		return -1, ErrNoDoor
	}
	return int(fd), nil
}

// holdDoor keeps the descriptor as long as somebody may ask for it.
func (s *supervisor) holdDoor(f *os.File) {
	s.door = -1
	if f != nil {
		_ = control(f, func(fd int) (err error) {
			s.door, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
			return err
		})
	}
}

// opens answers a call for the door.
func (s *supervisor) opens(n *notification) bool {
	if n.nr != doorCall {
		return false
	}
	a := answer{id: n.id, error: -int32(unix.EPERM)}
	if s.door >= 0 {
		if number, err := handOver(s.listener, n.id, s.door, unix.O_CLOEXEC); err == nil {
			a.val, a.error = int64(number), 0
		}
	}
	_ = ioctl(s.listener, notifySend, unsafe.Pointer(&a))
	return true
}
