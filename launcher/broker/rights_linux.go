//go:build amd64 || arm64

package broker

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// answering are the capabilities of a thread that answers calls: it reads the memory and the
// descriptors of a caller. A caller has none, so without the others the kernel decides about the
// launcher's calls by names, modes and owners as it would about the caller's.
const answering = 1 << unix.CAP_SYS_PTRACE

// rights are what a thread has of the launcher's capabilities.
type rights [2]unix.CapUserData

func (r *rights) set() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	return unix.Capset(&head, &r[0])
}

// ownRights are those of the launcher, looked up once.
var ownRights struct {
	sync.Once
	all, less rights
}

// launcherRights are all of them, and less those of a thread that answers.
func launcherRights() (all, less rights) {
	own := &ownRights
	own.Do(func() {
		head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		if unix.Capget(&head, &own.all[0]) != nil {
			return // none: to set these fails
		}
		own.less = own.all
		own.less[0].Effective &= answering
		own.less[1].Effective = 0
	})
	return own.all, own.less
}

// asCaller answers calls on this thread with the rights of a thread that answers. It reports false,
// and does nothing, when it cannot have them.
func asCaller(answer func()) bool {
	all, less := launcherRights()
	if all == less {
		answer()
		return true
	}
	runtime.LockOSThread()
	if less.set() != nil {
		runtime.UnlockOSThread()
		return false
	}
	answer()
	if all.set() == nil {
		runtime.UnlockOSThread()
	} // else the thread ends with its goroutine
	return true
}

// asLauncher does something of the launcher's own while a call is answered.
func asLauncher(do func() error) error {
	all, less := launcherRights()
	if all == less {
		return do()
	}
	if err := all.set(); err != nil {
		return err
	}
	err := do()
	if lost := less.set(); lost != nil {
		panic(lost) // no call is answered with more
	}
	return err
}
