//go:build amd64 || arm64

package sandbox

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// supervisor lists what the supervisor does, and those who are only there.
func (b *builder) supervisor() error {
	f := &b.setup
	f.launcher = uintptr(os.Getpid())
	if err := f.allocate(); err != nil {
		return err
	}
	var err error
	stays := []int{f.lifeline, f.report, f.going} // the last tells that the supervisor is gone
	if b.profile.Terminals && b.command.HasTTY && b.level == Strong {
		// for its number
		if b.master, err = unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
			return &SetupError{"reserve a descriptor", err}
		}
		if b.master, err = b.own(b.master); err != nil {
			return err
		}
		stays = append(stays, b.master)
	}
	f.settle.closeBut(stays...)
	ignore := *f.settle.add("ignore dead children", unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD),
		hold(&f.arena, &sigaction{handler: 1}), 0, 8)
	if b.level == Strong {
		if err := b.prepared.made(); err != nil {
			return err
		}
	}
	// Above all the launcher's end of the lifeline, this run's and every other one's: as long as
	// another process holds it, the end of the launcher is not seen.
	f.supervisor.closeBut(b.needed()...)
	// Out of the launcher's session: what is sent to its group or typed on its terminal is not for
	// the supervisor.
	f.supervisor.add("setsid", unix.SYS_SETSID)
	if b.command.HasTTY {
		var tty int
		if err = broker.Control(b.command.Files[b.command.TTY],
			func(fd int) error { tty = fd; return nil }); err != nil {
			return err
		}
		f.supervisor.add("set controlling terminal", unix.SYS_IOCTL, uintptr(tty), unix.TIOCSCTTY,
			0)
		f.anchor = f.companion()
	}
	if b.level == Strong {
		f.init = f.companion()
		// With its children's deaths ignored, the kernel reaps every orphan by itself, and the init
		// has nothing to do but to be there.
		f.init = append(f.init, ignore)
		return b.namespaces(&f.supervisor)
	}
	if f.scoped {
		f.supervisor.add("no new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
		f.supervisor.add("landlock_restrict_self", unix.SYS_LANDLOCK_RESTRICT_SELF,
			uintptr(b.scope.fd))
	}
	return nil
}

// needed returns the descriptors that the processes of the setup work with.
func (b *builder) needed() []int {
	launchers := []int{b.setup.holding, b.setup.reading, b.setup.ruling}
	if b.asks() {
		launchers = append(launchers, b.asking[0])
	}
	list := slices.DeleteFunc(slices.Clone(b.closing),
		func(fd int) bool { return slices.Contains(launchers, fd) })
	if b.prepared != nil {
		list = append(list, b.prepared.pidfd)
	}
	list = append(list, b.command.Inherit...)
	for _, file := range append(slices.Clone(b.command.Files), b.command.Dir, b.command.Exe) {
		if file != nil {
			_ = broker.Control(file, func(fd int) error { list = append(list, fd); return nil })
		}
	}
	return list
}

// companion lists what a process does that is only there: it lets go of everything, and ends with
// its parent.
func (f *setup) companion() steps {
	var l steps
	l.add("end with the supervisor", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL))
	l.closeBut(f.report)
	return l
}
