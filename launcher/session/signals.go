package session

import (
	"os"
	"syscall"
)

// A Receiver says which processes of the run get a signal that the launcher received.
type Receiver int

const (
	Nobody Receiver = iota // it is the launcher's own, or the session's
	Leader                 // the command's first process only
	Group                  // the command's process group: kill(2) with its negative number
)

// forwarding is what a signal to the launcher does to the run. The command has its own session, so
// what the kernel or a caller sends to the launcher's group does not reach it.
//
//	INT QUIT TSTP  come from the terminal, which means the whole foreground group
//	TERM HUP CONT  callers send these to the group (claude, make, timeout): the group
//	USR1 USR2      mean something to one program; their default action would kill its helpers
//	WINCH          the session sets the private terminal's size, and the kernel tells the group
//	TTIN TTOU      are about the caller's terminal, which the command cannot touch
//	PIPE           is about the caller's output: the relay closes the child's pipe instead
var forwarding = [...]struct {
	signal syscall.Signal
	to     Receiver
}{
	{syscall.SIGHUP, Group},
	{syscall.SIGINT, Group},
	{syscall.SIGQUIT, Group},
	{syscall.SIGTERM, Group},
	{syscall.SIGTSTP, Group},
	{syscall.SIGCONT, Group},
	{syscall.SIGUSR1, Leader},
	{syscall.SIGUSR2, Leader},
}

// Forward says who gets sig. A SIGCONT is for a group that is stopped (see Stopped): a caller that
// stopped the job with SIGSTOP may have stopped the command separately. Suspend's caller continues
// the command itself.
func Forward(sig os.Signal) Receiver {
	for _, f := range forwarding {
		if f.signal == sig {
			return f.to
		}
	}
	return Nobody
}

// Forwarded lists the signals that the launcher should be notified of for Forward.
func Forwarded() []os.Signal {
	list := make([]os.Signal, 0, len(forwarding))
	for _, f := range forwarding {
		list = append(list, f.signal)
	}
	return list
}

// ExitStatus is the exit status by which a shell reports an end by a signal.
func ExitStatus(sig syscall.Signal) int { return 128 + int(sig) }
