//go:build amd64 || arm64

package broker

import (
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// A run may have a request socket (Profile.Request): a descriptor that every process of it can ask
// for. A process inherits it as well, but most runtimes close what they inherit before they start a
// program. Asking is a system call that the filter passes on, so it needs no name and no secret,
// and the kernel identifies the process. No program makes that call: it is pidfd_getfd(2), which a
// sandbox refuses, with arguments that fit no process.
const (
	requestCall = unix.SYS_PIDFD_GETFD
	requestMark = 0x74616461
)

// RequestSocket returns a copy of the run's request socket for this process. An exec closes it.
func RequestSocket() (int, error) {
	fd, _, errno := unix.Syscall(requestCall, ^uintptr(0), requestMark, 0)
	if errno != 0 {
		return -1, ErrNoRequestSocket
	}
	return int(fd), nil
}

// requestRules hand the one call over; all others like it stay refused.
func requestRules(p *Profile, answered bool) []seccomp.Rule {
	if p.Request == nil || !answered {
		return nil
	}
	marked := []seccomp.Test{seccomp.Arg(0, ^uint32(0)), seccomp.Arg(1, requestMark)}
	return []seccomp.Rule{seccomp.On(requestCall, seccomp.Ask, marked...)}
}

// requests are the customer that hands the request socket out.
type requests struct {
	fd int // -1 without one
}

func requestNumbers(yield func(uint32) bool) { yield(requestCall) }

func openRequests(p *Profile, _ *run) customer {
	r := &requests{fd: -1}
	if p.Request != nil {
		_ = Control(p.Request, func(fd int) (err error) {
			r.fd, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
			return err
		})
	}
	return r
}

func (r *requests) answer(c *call) {
	if r.fd < 0 {
		c.reply(unix.EPERM)
		return
	}
	number, err := c.listener.HandOver(c.ID, r.fd, unix.O_CLOEXEC)
	if err != nil {
		err = unix.EPERM
	}
	c.result(number, err)
}

func (r *requests) close() {
	if r.fd >= 0 {
		unix.Close(r.fd)
	}
}
