//go:build amd64 || arm64

package broker

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// A call is one system call that waits for its answer. Each of reply, result, proceed and give is
// an answer, and there is one to each call.
type call struct {
	seccomp.Notification
	listener seccomp.Listener
}

// reply answers a call that has no other result than an error.
func (c *call) reply(err error) {
	a := seccomp.Answer{ID: c.ID}
	if err != nil {
		a.Error = -int32(asErrno(err))
	}
	_ = c.listener.Send(&a)
}

// result answers a call that returns a number.
func (c *call) result(n int, err error) {
	if err != nil {
		c.reply(err)
		return
	}
	_ = c.listener.Send(&seccomp.Answer{ID: c.ID, Val: int64(n)})
}

// proceed has the kernel make the call. What was looked at may be swapped by then, so this is for
// calls that are harmless whatever they are about, or that the kernel decides alone.
func (c *call) proceed() {
	_ = c.listener.Send(&seccomp.Answer{ID: c.ID, Flags: seccomp.Continue})
}

// give moves a descriptor into the caller's table, and answers with its number there. It is closed
// here before the caller continues: a program that the caller has written and closed cannot be
// executed while a process has it open for writing.
func (c *call) give(fd, flags int) {
	number, err := c.listener.HandOver(c.ID, fd, flags)
	unix.Close(fd)
	c.result(number, err) // an error: its table is full
}

// waits reports whether the caller still waits for this answer: only then what was read of it was
// its own, and only then its number is its own.
func (c *call) waits() bool { return c.listener.Waits(c.ID) }

func asErrno(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	if errno, ok := err.(syscall.Errno); ok {
		return errno
	}
	return unix.EPERM
}
