//go:build amd64 || arm64

package sandbox

import (
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// steward lists what the steward does, and those who are only there.
func (b *builder) steward() error {
	f := &b.family
	f.launcher = uintptr(os.Getpid())
	var err error
	if b.stacks, err = unix.Mmap(-1, 0, relatives*stackSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS); err != nil {
		return &SetupError{"mmap", err}
	}
	f.stacks = uintptr(unsafe.Pointer(&b.stacks[0]))
	f.settle.letGo(f.lifeline, f.report)
	ignore := *f.settle.add("ignore dead children", unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD), hold(&f.arena, &sigaction{handler: 1}), 0, 8)
	// Out of the launcher's session: what is sent to its group or typed on its terminal is not for the steward.
	f.steward.add("setsid", unix.SYS_SETSID)
	if b.command.HasTTY {
		var tty int
		if err = control(b.command.Files[b.command.TTY], func(fd int) error { tty = fd; return nil }); err != nil {
			return err
		}
		f.steward.add("set controlling terminal", unix.SYS_IOCTL, uintptr(tty), unix.TIOCSCTTY, 0)
		f.anchor = f.companion()
	}
	if b.level == Strong {
		f.flags = stewardFlags
		if b.profile.Network == Off {
			f.flags |= unix.CLONE_NEWNET
		}
		f.init = f.companion()
		// With its children's deaths ignored, the kernel reaps every orphan by itself, and the init has nothing to do but to be there.
		f.init = append(f.init, ignore)
		return b.namespaces(&f.steward)
	}
	if f.scoped {
		f.steward.add("no new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
		f.steward.add("landlock_restrict_self", unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(b.scope.fd))
	}
	return nil
}

// companion lists what a process does that is only there: it lets go of everything, and ends with its parent.
func (f *family) companion() life {
	var l life
	l.add("end with the steward", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL))
	l.letGo(f.report)
	return l
}

// letGo closes every descriptor but those in keep.
func (l *life) letGo(keep ...int) {
	slices.Sort(keep)
	first := 0
	for _, fd := range keep {
		if first < fd {
			l.add("close files", unix.SYS_CLOSE_RANGE, uintptr(first), uintptr(fd-1))
		}
		first = fd + 1
	}
	l.add("close files", unix.SYS_CLOSE_RANGE, uintptr(first), ^uintptr(0)>>32)
}
