//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox/rlimit"
)

// child lists what the child does. The order is the argument: each step is where it is because
// something before it is still needed, or something after it would be refused.
func (b *builder) child() error {
	l := &b.setup.child
	*l = make(steps, 0, 64) // about what it takes
	// Its own copy of this end would keep it waiting for ever.
	l.add("close files", unix.SYS_CLOSE, uintptr(b.setup.going))
	if b.command.HasTTY {
		l.add("new process group", unix.SYS_SETPGID, 0, 0)
	} else {
		l.add("setsid", unix.SYS_SETSID)
	}
	if err := b.childFiles(l); err != nil {
		return err
	}
	b.childLimits(l)
	b.childSignals(l)
	dropCapabilities(l, &b.setup.arena)
	l.add("no new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
	l.add("wait for the Landlock rules", unix.SYS_READ, uintptr(b.setup.ruled),
		hold(&b.setup.arena, new([8]byte)), 1).must(1)
	l.add("landlock_restrict_self", unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(b.files.fd))
	// The filter comes after all that it would refuse.
	b.install(l)
	b.proofs(l)
	b.childWaits(l)
	return b.childExec(l)
}

// childWaits makes the child wait, in its sandbox, for all that has to happen before its program
// may run: one byte from the launcher, when it lets go, and one from the supervisor, when the
// anchor is in its place. When they end without that, so does the child.
func (b *builder) childWaits(l *steps) {
	bytes := uintptr(1)
	if b.command.HasTTY {
		bytes++
	}
	for range bytes {
		l.add("wait to be let go", unix.SYS_READ, uintptr(b.setup.waiting),
			hold(&b.setup.arena, new([8]byte)), 1).must(1)
	}
}

// childFiles gives the child its descriptors and working directory, and marks everything else to be
// closed by the exec.
func (b *builder) childFiles(l *steps) error {
	c := b.command
	sources := make([]*os.File, 0, len(c.Files)+2)
	sources = append(append(sources, c.Files...), c.Dir, c.Exe)
	numbers := make([]int, len(sources))
	taken := append(slices.Clone(b.closing), c.Inherit...)
	for i, file := range sources {
		numbers[i] = -1
		if file == nil {
			continue
		}
		// Fd and not control: it also puts the file in blocking mode, which programs expect of what
		// they inherit.
		if numbers[i] = int(file.Fd()); numbers[i] < 0 {
			return fmt.Errorf("sandbox: descriptor %d (%q): %w", i, file.Name(), os.ErrClosed)
		}
		taken = append(taken, numbers[i])
	}
	// First out of the way, then into place: a source may have the number of another's place. What
	// else the launcher has open is not the child's, so its numbers are as good as free; low ones
	// are below any limit of open files.
	away := spare(len(sources)+1, len(c.Files), taken)
	for i, fd := range numbers {
		if fd >= 0 {
			l.add("place descriptors", unix.SYS_DUP3, uintptr(fd), uintptr(away[i]), unix.O_CLOEXEC)
		}
	}
	for i := range c.Files {
		if numbers[i] >= 0 {
			l.add("place descriptors", unix.SYS_DUP3, uintptr(away[i]), uintptr(i), 0)
		} else if !slices.Contains(c.Inherit, i) {
			l.add("place descriptors", unix.SYS_CLOSE, uintptr(i)).or(unix.EBADF)
		}
	}
	l.add("close other descriptors", unix.SYS_CLOSE_RANGE, uintptr(len(c.Files)), ^uintptr(0)>>32,
		unix.CLOSE_RANGE_CLOEXEC)
	for _, fd := range c.Inherit {
		l.add("pass on descriptors", unix.SYS_FCNTL, uintptr(fd), unix.F_SETFD, 0)
	}
	if c.HasTTY {
		// All signals are blocked, SIGTTOU too, so a group in the background may do this.
		l.add("move to the foreground", unix.SYS_GETPGID, 0).kept(registerCount - 1)
		l.add("move to the foreground", unix.SYS_IOCTL, uintptr(c.TTY), unix.TIOCSPGRP,
			uintptr(unsafe.Pointer(&b.setup.registers[registerCount-1])))
	}
	if b.level == Strong {
		b.privateProc(l, away[len(sources)])
		b.reopenDevices(l, numbers[:len(c.Files)])
		if err := b.enterDir(l); err != nil {
			return err
		}
	} else if c.Dir != nil {
		l.add("change directory", unix.SYS_FCHDIR, uintptr(away[len(c.Files)]))
	}
	b.exe = -1
	if c.Exe != nil {
		b.exe = away[len(c.Files)+1]
	}
	return nil
}

// spare returns the n lowest numbers from least on that are not taken.
func spare(n, least int, taken []int) []int {
	free := make([]int, 0, n)
	for fd := least; len(free) < n; fd++ {
		if !slices.Contains(taken, fd) {
			free = append(free, fd)
		}
	}
	return free
}

// childLimits sets the resource limits. The runtime has raised the soft limit of open files for
// this process; the child gets the one that this process was started with.
func (b *builder) childLimits(l *steps) {
	set := func(what string, resource uintptr, value uint64) {
		if value != 0 {
			l.add("limit "+what, unix.SYS_PRLIMIT64, 0, resource,
				hold(&b.setup.arena, &unix.Rlimit{Cur: value, Max: value}))
		}
	}
	limits := b.profile.Limits
	b.joinGroup(l)
	set("processor time", unix.RLIMIT_CPU, limits.CPU)
	set("address space", unix.RLIMIT_AS, limits.AddressSpace)
	set("file size", unix.RLIMIT_FSIZE, limits.FileSize)
	set("processes", unix.RLIMIT_NPROC, b.processLimit())
	set("open files", unix.RLIMIT_NOFILE, limits.Files)
	if c := b.profile.Changes; c != nil && c.Strict {
		// The kernel removes what has the name of a core file, and asks no one.
		l.add("limit core files", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_CORE,
			hold(&b.setup.arena, &unix.Rlimit{}))
	}
	if limits.Files == 0 {
		var ours unix.Rlimit
		soft, ok := rlimit.OpenFiles()
		if !ok || unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &ours) != nil {
			return
		}
		ours.Cur = min(soft, ours.Max)
		l.add("limit open files", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE,
			hold(&b.setup.arena, &ours))
	}
}

// childSignals puts every handler back to its default, and then lets signals through again.
func (b *builder) childSignals(l *steps) {
	dfl := hold(&b.setup.arena, &sigaction{})
	if set := handled(); set != 0 {
		l.add("reset signals", unix.SYS_RT_SIGACTION, 1, dfl, 0, 8).forEach(uint64(set), 0)
	}
	l.add("reset signals", unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK,
		hold(&b.setup.arena, &b.setup.mask), 0, 8)
}

// dropCapabilities takes every capability away for good. Root without capabilities is still the
// owner of root's files, and Landlock's business; root with CAP_PERFMON or CAP_SYS_ADMIN could read
// the environment of processes outside in spite of Landlock.
func dropCapabilities(l *steps, a *arena) {
	// a newer kernel may have a few more
	const all = 1<<(unix.CAP_LAST_CAP+1+8) - 1
	// without CAP_SETPCAP there is nothing to drop
	l.add("drop bounding set", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, 0).forEach(all, 1).anyway()
	l.add("clear ambient set", unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL)
	header := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	l.add("drop capabilities", unix.SYS_CAPSET, hold(a, header), hold(a, &[2]unix.CapUserData{}))
}

// childExec ends the child's steps by becoming the program.
func (b *builder) childExec(l *steps) error {
	c, a := b.command, &b.setup.arena
	b.exec = len(*l)
	if b.trial {
		l.add("exit", unix.SYS_EXIT_GROUP, 0)
		return nil
	}
	argv, err := a.pointers(c.Argv)
	if err != nil {
		return fmt.Errorf("sandbox: argument list: %w", err)
	}
	envp, err := a.pointers(c.Env)
	if err != nil {
		return fmt.Errorf("sandbox: environment: %w", err)
	}
	path, err := syscall.BytePtrFromString(c.Path)
	if err != nil {
		return fmt.Errorf("sandbox: program %q: %w", c.Path, err)
	}
	if b.exe >= 0 {
		// ENOENT is how the kernel says that a script cannot be opened by a descriptor that the
		// exec closes.
		s := b.starting.mark(l.add("execute", unix.SYS_EXECVEAT, uintptr(b.exe), a.text(""), argv,
			envp, unix.AT_EMPTY_PATH))
		if c.Path == "" {
			return nil
		}
		s.or(unix.ENOENT)
	}
	b.starting.mark(l.add("execute", unix.SYS_EXECVE, hold(a, path), argv, envp))
	return nil
}
