//go:build amd64 || arm64

package sandbox

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Nest is the namespaces that a fence at Strong stands in. They are the same whatever runs in them, and the kernel takes as long for a network of its own
// as for all the rest, so a caller has them made while it still finds out what to run.
//
// Until the steward has joined them they are kept by a process that does nothing else, and ends when it is left or the launcher ends.
type Nest struct {
	network Network
	made    chan struct{} // closed when what follows is settled
	err     error
	pid     int
	pidfd   int
	holding int // the launcher's end of the keeper's lifeline
	family  family
	stacks  []byte
	left    sync.Once
}

// Ahead begins to make the namespaces for a run with network, and does not wait for them. Who does not pass them to Begin calls Leave.
func Ahead(network Network) *Nest {
	n := &Nest{network: network, made: make(chan struct{}), pidfd: -1, holding: -1}
	go func() {
		n.err = n.make()
		close(n.made)
	}()
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

func (n *Nest) make() error {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return &SetupError{"pipe", err}
	}
	defer unix.Close(p[0])
	n.holding = p[1]
	f := &n.family
	f.lifeline, f.report = p[0], -1
	f.nest.closeBut(f.lifeline)
	f.nest.add("setsid", unix.SYS_SETSID)
	var err error
	if n.stacks, err = f.room(); err != nil {
		return err
	}
	pid, errno := f.start(aboutNest, n.flags())
	if errno != 0 {
		return &SetupError{"clone", errno}
	}
	n.pid = pid
	if err := mapIDs(pid); err != nil {
		return &SetupError{"map ids", err}
	}
	if n.pidfd, err = unix.PidfdOpen(pid, 0); err != nil {
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
		<-n.made
		for _, fd := range []int{n.holding, n.pidfd} {
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
