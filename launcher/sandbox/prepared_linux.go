//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// A Prepared is the namespaces of a sandbox at Strong. They are the same whatever runs in them, and
// the kernel takes as long for a private network as for all the rest, so a caller has them made
// while it still finds out what to run.
//
// They are made by a process that does nothing else, and that holds them until the supervisor has
// joined them. It ends when it is left or the launcher ends. It makes them itself and not at its
// birth: the process that forks waits in the kernel for what a clone makes, with a processor of the
// Go scheduler that the rest of the start needs.
type Prepared struct {
	network Network
	err     error // of the fork
	pid     int
	pidfd   int
	holding int // the launcher's end of the keeper's lifeline
	telling int // where it says that they are made
	setup   setup
	made    func() error // waits for them, and makes them fit to be joined
	left    sync.Once
}

// Prepare begins to make the namespaces for a run with network, and does not wait for them. A
// caller that does not pass them to Begin calls Release.
func Prepare(network Network) *Prepared {
	n := &Prepared{network: network, pidfd: -1, holding: -1, telling: -1}
	n.made = sync.OnceValue(n.wait)
	n.err = n.begin()
	return n
}

// flags are the namespaces, for clone and for setns. The user namespace gives the rights in the
// others. That of process ids is not among them: its first process must be the init.
func (n *Prepared) flags() uintptr {
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS)
	if n.network != Full {
		flags |= unix.CLONE_NEWNET
	}
	return flags
}

// begin forks the keeper.
func (n *Prepared) begin() error {
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
	f := &n.setup
	f.lifeline, f.report = hold[0], told[1]
	n.steps(&f.keeper)
	if err := f.allocate(); err != nil {
		return err
	}
	syscall.ForkLock.Lock() // see start
	pid, errno := f.start(ofKeeper, 0)
	syscall.ForkLock.Unlock()
	if errno != 0 {
		return &SetupError{"clone", errno}
	}
	n.pid = pid
	return nil
}

// steps lists what the keeper does.
func (n *Prepared) steps(l *steps) {
	a := &n.setup.arena
	l.closeBut(n.setup.lifeline, n.setup.report)
	l.add("setsid", unix.SYS_SETSID)
	l.add("make namespaces", unix.SYS_UNSHARE, n.flags())
	l.add("make mounts private", unix.SYS_MOUNT, a.text("none"), a.text("/"), 0,
		unix.MS_REC|unix.MS_PRIVATE)
	if n.network != Full {
		n.setup.loopback(l)
	}
}

// wait returns when the keeper has done its steps.
func (n *Prepared) wait() error {
	if n.err != nil {
		return n.err
	}
	m, size, err := readReport(n.telling)
	switch {
	case err != nil:
		return &SetupError{"read report", err}
	case size == 0:
		return &SetupError{"clone",
			errors.New("the namespace process was killed before it could start")}
	case m[0] == ofKeeper && m[1] < uint32(len(n.setup.keeper)):
		return &SetupError{n.setup.keeper[m[1]].what, syscall.Errno(m[2])}
	}
	if err := mapIDs(n.pid); err != nil {
		return &SetupError{"map ids", err}
	}
	if n.pidfd, err = unix.PidfdOpen(n.pid, 0); err != nil {
		return &SetupError{"pidfd_open", err}
	}
	return nil
}

// Release drops the namespaces; processes that have joined them stay in them. It does nothing the
// second time, or to nil.
func (n *Prepared) Release() {
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
		if n.setup.memory != nil {
			unix.Munmap(n.setup.memory)
		}
	})
}

// loopback switches on the loopback device of the new network namespace, the only one there.
func (f *setup) loopback(l *steps) {
	request := &[40]byte{'l', 'o'} // struct ifreq
	request[16] = unix.IFF_UP | unix.IFF_RUNNING
	l.add("start loopback", unix.SYS_SOCKET, unix.AF_INET,
		unix.SOCK_DGRAM|unix.SOCK_CLOEXEC).kept(registerCount - 1)
	l.add("start loopback", unix.SYS_IOCTL, 0, unix.SIOCSIFFLAGS,
		hold(&f.arena, request)).with(registerCount-1, 0)
}

// everyID is an id map of all ids onto themselves.
const everyID = "0 0 4294967295\n"

// mapIDs writes the id maps of the user namespace of pid. Every id stays the number it is: who may
// map all that there are does (root), others only their own, and other people's files then show as
// no user's.
func mapIDs(pid int) error {
	dir := proc.Dir(pid)
	if mapAll("uid_map", dir) == nil {
		return mapAll("gid_map", dir)
	}
	if err := write(dir+"uid_map", fmt.Sprintf("%d %[1]d 1\n", os.Geteuid())); err != nil {
		return err
	}
	// Giving up setgroups is the kernel's price for an unprivileged gid map (CVE-2014-8989).
	if err := write(dir+"setgroups", "deny"); err != nil {
		return err
	}
	return write(dir+"gid_map", fmt.Sprintf("%d %[1]d 1\n", os.Getegid()))
}

// mapAll maps every id that there is here. Root in a container does not have them all.
func mapAll(file, dir string) error {
	if write(dir+file, everyID) == nil {
		return nil
	}
	all, err := identity("/proc/self/" + file)
	if err != nil {
		return err
	}
	return write(dir+file, all)
}

// identity returns a map of every id that the map in file has, onto itself.
func identity(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for line := range bytes.Lines(text) {
		if f := strings.Fields(string(line)); len(f) == 3 {
			fmt.Fprintf(&out, "%s %s %s\n", f[0], f[0], f[2])
		}
	}
	return out.String(), nil
}
