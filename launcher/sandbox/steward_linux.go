//go:build amd64 || arm64

package sandbox

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// steward lists what the steward does, and those who are only there.
func (b *builder) steward() error {
	f := &b.family
	f.launcher = uintptr(os.Getpid())
	var err error
	if b.stacks, err = f.room(); err != nil {
		return err
	}
	stays := []int{f.lifeline, f.report, f.going} // the last tells that the steward is gone
	if b.profile.Terminals && b.command.HasTTY && b.level == Strong {
		if b.place, err = unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil { // for its number
			return &SetupError{"reserve a descriptor", err}
		}
		if b.place, err = b.own(b.place); err != nil {
			return err
		}
		stays = append(stays, b.place)
	}
	f.settle.closeBut(stays...)
	ignore := *f.settle.add("ignore dead children", unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD), hold(&f.arena, &sigaction{handler: 1}), 0, 8)
	if b.level == Strong {
		if err := b.nest.made(); err != nil {
			return err
		}
	}
	// Above all the launcher's end of the lifeline, this run's and every other one's: as long as anybody else holds it, nobody sees the launcher die.
	f.steward.closeBut(b.needed()...)
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

// needed returns the descriptors that the family works with.
func (b *builder) needed() []int {
	launchers := []int{b.family.holding, b.family.reading, b.family.ruling}
	if b.asks() {
		launchers = append(launchers, b.asking[0])
	}
	list := slices.DeleteFunc(slices.Clone(b.closing), func(fd int) bool { return slices.Contains(launchers, fd) })
	if b.nest != nil {
		list = append(list, b.nest.pidfd)
	}
	list = append(list, b.command.Inherit...)
	for _, file := range append(slices.Clone(b.command.Files), b.command.Dir, b.command.Exe) {
		if file != nil {
			_ = control(file, func(fd int) error { list = append(list, fd); return nil })
		}
	}
	return list
}

// companion lists what a process does that is only there: it lets go of everything, and ends with its parent.
func (f *family) companion() life {
	var l life
	l.add("end with the steward", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL))
	l.closeBut(f.report)
	return l
}

// closeBut closes every descriptor but those in keep.
func (l *life) closeBut(keep ...int) {
	slices.Sort(keep)
	first := 0
	for _, fd := range keep {
		if first < fd {
			l.add("close files", unix.SYS_CLOSE_RANGE, uintptr(first), uintptr(fd-1))
		}
		first = max(first, fd+1)
	}
	l.add("close files", unix.SYS_CLOSE_RANGE, uintptr(first), ^uintptr(0)>>32)
}
