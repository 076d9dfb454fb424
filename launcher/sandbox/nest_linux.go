//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Nest is the namespaces that a fence at Strong stands in. They are the same whatever runs in them, and the kernel takes as long for a network of its own
// as for all the rest, so a caller has them made while it still finds out what to run.
//
// They are made and, until the steward has joined them, kept by a process that does nothing else, and ends when it is left or the launcher ends. It makes them by itself
// and not at its birth: who forks waits in the kernel for what a clone makes, with a processor of the Go scheduler that the rest of the start needs.
type Nest struct {
	network Network
	err     error // of the fork
	pid     int
	pidfd   int
	holding int // the launcher's end of the keeper's lifeline
	telling int // where it says that they are made
	family  family
	stacks  []byte
	made    func() error // waits for them, and makes them fit to be joined
	left    sync.Once
}

// Ahead begins to make the namespaces for a run with network, and does not wait for them. Who does not pass them to Begin calls Leave.
func Ahead(network Network) *Nest {
	n := &Nest{network: network, pidfd: -1, holding: -1, telling: -1}
	n.made = sync.OnceValue(n.settle)
	n.err = n.begin()
	return n
}

// flags are the namespaces, for clone and for setns. The user namespace gives the rights in the others.
// That of process ids is not among them: its first process must be the init.
func (n *Nest) flags() uintptr {
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS)
	if n.network != Full {
		flags |= unix.CLONE_NEWNET
	}
	return flags
}

// begin forks the keeper.
func (n *Nest) begin() error {
	if err := canEnd(); err != nil {
		return err
	}
	var hold, told [2]int
	if err := unix.Pipe2(hold[:], unix.O_CLOEXEC); err != nil {
		return &SetupError{"pipe", err}
	}
	defer unix.Close(hold[0])
	n.holding = hold[1]
	if err := unix.Pipe2(told[:], unix.O_CLOEXEC); err != nil {
		return &SetupError{"pipe", err}
	}
	defer unix.Close(told[1])
	n.telling = told[0]
	f := &n.family
	f.lifeline, f.report = hold[0], told[1]
	n.steps(&f.nest)
	var err error
	if n.stacks, err = f.room(); err != nil {
		return err
	}
	pid, errno := f.start(aboutNest, 0)
	if errno != 0 {
		return &SetupError{"clone", errno}
	}
	n.pid = pid
	return nil
}

// steps lists what the keeper does.
func (n *Nest) steps(l *life) {
	a := &n.family.arena
	l.closeBut(n.family.lifeline, n.family.report)
	l.add("setsid", unix.SYS_SETSID)
	l.add("make namespaces", unix.SYS_UNSHARE, n.flags())
	l.add("make mounts private", unix.SYS_MOUNT, a.text("none"), a.text("/"), 0, unix.MS_REC|unix.MS_PRIVATE)
	if n.network != Full {
		n.family.loopback(l)
	}
}

// settle waits until the keeper has done its steps.
func (n *Nest) settle() error {
	if n.err != nil {
		return n.err
	}
	m, size, err := hear(n.telling)
	switch {
	case err != nil:
		return &SetupError{"read report", err}
	case size == 0:
		return &SetupError{"clone", errors.New("the namespace process was killed before it could start")}
	case m[0] == aboutNest && m[1] < uint32(len(n.family.nest)):
		return &SetupError{n.family.nest[m[1]].what, syscall.Errno(m[2])}
	}
	if err := mapIDs(n.pid); err != nil {
		return &SetupError{"map ids", err}
	}
	if n.pidfd, err = unix.PidfdOpen(n.pid, 0); err != nil {
		return &SetupError{"pidfd_open", err}
	}
	return nil
}

// Leave gives the namespaces up; who has joined them stays in them. It does nothing the second time, or to nil.
func (n *Nest) Leave() {
	if n == nil {
		return
	}
	n.left.Do(func() {
		for _, fd := range []int{n.holding, n.telling, n.pidfd} {
			if fd >= 0 {
				unix.Close(fd)
			}
		}
		reap(n.pid)
		if n.stacks != nil {
			unix.Munmap(n.stacks)
		}
	})
}

// room makes the memory for the stacks of a family.
func (f *family) room() ([]byte, error) {
	m, err := unix.Mmap(-1, 0, relatives*stackSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, &SetupError{"mmap", err}
	}
	f.stacks, f.code = uintptr(unsafe.Pointer(&m[0])), entry()
	return m, nil
}
