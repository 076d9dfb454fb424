//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// What Strong adds. All mounts are made before Landlock, which forbids mounts afterwards, and all
// in a mount namespace of the supervisor's own, so that nothing of it is seen outside and no file
// is left behind anywhere.

// namespaces lists the supervisor's steps at Strong.
func (b *builder) namespaces(l *steps) error {
	l.add("join the namespaces", unix.SYS_SETNS, uintptr(b.prepared.pidfd), b.prepared.flags())
	if err := b.trees(l); err != nil {
		return err
	}
	if err := b.masks(l); err != nil {
		return err
	}
	b.terminals(l)
	l.add("new pid namespace", unix.SYS_UNSHARE, unix.CLONE_NEWPID)
	return nil
}

// trees makes everything read-only but the writable trees. Landlock has no right for the mode,
// owner, times and attributes of a file; a read-only mount refuses to change them.
func (b *builder) trees(l *steps) error {
	a := &b.setup.arena
	writable := b.writable()
	if len(writable) > 0 && writable[0] == "/" {
		b.keepInPlace(l)
		b.privateTemp(l, nil)
		return nil
	}
	carried := b.carried(writable)
	trees := append(carried, writable...) // one that is writable can lie in one that is not
	backings := b.backings()
	if n := len(trees) + len(backings); n > maxTrees {
		return fmt.Errorf("sandbox: %d writable trees (those with hidden or protected files count "+
			"twice), at most %d", n, maxTrees)
	}
	// Copies are taken while the trees can still be written.
	for i, tree := range trees {
		l.add("copy the mount of "+tree, unix.SYS_OPEN_TREE, atCwd, a.text(tree),
			unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE).kept(uint8(i + 1))
		if !within("/dev", tree) {
			l.add("keep devices out of "+tree, unix.SYS_MOUNT_SETATTR, 0, a.text(""),
				unix.AT_EMPTY_PATH|unix.AT_RECURSIVE,
				hold(a, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NODEV}),
				unix.MOUNT_ATTR_SIZE_VER0).with(uint8(i+1), 0)
		}
	}
	b.readOnly(l, "/")
	for i := range backings {
		backings[i].register = uint8(len(trees) + i + 1)
		b.pin(l, backings[i])
	}
	b.privateTemp(l, trees)
	for i, tree := range trees {
		l.add("mount "+tree, unix.SYS_MOVE_MOUNT, 0, a.text(""), atCwd, a.text(tree),
			unix.MOVE_MOUNT_F_EMPTY_PATH).with(uint8(i+1), 0)
		if i < len(carried) {
			b.readOnly(l, tree)
		}
	}
	for _, g := range backings {
		for _, name := range g.kept {
			g.mountOver(a, l, "keep "+name, name)
		}
	}
	return nil
}

// maxTrees leaves the registers from listener on to those that use them.
const maxTrees = registerCount - 8

// masks lays an empty directory or file that cannot be opened over every hidden name.
func (b *builder) masks(l *steps) error {
	a := &b.setup.arena
	// What lies over the names is made in memory, once, on the one directory that is certain to
	// exist and that the child covers again: a file system for each name costs ten times as much.
	// It is left there: an unmount waits until no processor looks at the mount any more, which can
	// take a millisecond.
	const flags = unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	tmpfs, proc, file, dir := a.text("tmpfs"), a.text("/proc"), a.text("/proc/file"),
		a.text("/proc/dir")
	made := false
	for _, name := range b.hidden {
		st, err := os.Lstat(name)
		if err != nil {
			return fmt.Errorf("sandbox: hide %q: %w", name, err)
		}
		if b.leadsTo(name) {
			continue // something in it is allowed; Landlock alone keeps the rest away
		}
		if slices.ContainsFunc(b.hidden, func(over string) bool {
			return over != name && within(name, over) && !b.leadsTo(over)
		}) {
			continue // hidden with its folder, in which it cannot be found any more
		}
		if !made {
			made = true
			l.add("make what hides", unix.SYS_MOUNT, tmpfs, proc, tmpfs,
				unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, a.text("nr_inodes=4"))
			l.add("make what hides", unix.SYS_MKNODAT, atCwd, file, unix.S_IFREG)
			l.add("make what hides", unix.SYS_MKDIRAT, atCwd, dir, 0)
			l.add("make what hides", unix.SYS_MOUNT, 0, proc, 0, unix.MS_REMOUNT|flags, 0)
		}
		empty := file
		if st.IsDir() {
			empty = dir
		}
		l.add("hide "+name, unix.SYS_MOUNT, empty, a.text(name), 0, unix.MS_BIND)
	}
	return nil
}

// privateProc mounts a /proc that shows only the new pid namespace, which takes a process inside of
// it. It and /dev/shm are new objects, so their Landlock rules can only be added here.
func (b *builder) privateProc(l *steps, number int) {
	a := &b.setup.arena
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	l.add("mount proc", unix.SYS_MOUNT, a.text("proc"), a.text("/proc"), a.text("proc"), flags)
	b.lower(l)
	l.add("make proc read-only", unix.SYS_MOUNT, 0, a.text("/proc"), 0,
		unix.MS_REMOUNT|unix.MS_RDONLY|flags, 0)
	late := b.lateRules()
	if v := b.mediated().View; v != nil && v.Inside != "" {
		const rights = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE
		l.add("mount private "+v.Inside, unix.SYS_MOUNT, a.text("tmpfs"), a.text(v.Inside),
			a.text("tmpfs"), flags, a.text("mode=0755,size=1m,nr_inodes=1k"))
		late = append(late, lateRule{v.Inside, rights})
	}
	for _, p := range b.profile.Read {
		if within(p.Name, "/proc") {
			late = append(late, lateRule{p.Name, fsRead})
		}
	}
	for _, rule := range late {
		attr := &pathBeneath{rule.rights & b.files.abi.fs, int32(number)}
		l.add("open "+rule.name, unix.SYS_OPENAT, atCwd, a.text(rule.name),
			unix.O_PATH|unix.O_CLOEXEC).kept(registerCount - 1)
		// it has that number already
		l.add("open "+rule.name, unix.SYS_DUP3, 0, uintptr(number),
			unix.O_CLOEXEC).with(registerCount-1, 0).or(unix.EINVAL)
		l.add("allow "+rule.name, unix.SYS_LANDLOCK_ADD_RULE, uintptr(b.files.fd),
			unix.LANDLOCK_RULE_PATH_BENEATH, hold(a, attr), 0)
	}
}

// enterDir changes to the working directory by name, since the caller's descriptor leads to the
// mounts outside, and makes sure that it is the same directory.
func (b *builder) enterDir(l *steps) error {
	dir := b.command.Dir
	if dir == nil {
		var err error
		if dir, err = os.Open("."); err != nil {
			return &SetupError{"change directory", err}
		}
		defer dir.Close()
	}
	name, want, err := whatIs(dir)
	if err == nil { // in its user namespace the child could enter what its user may not
		err = broker.Control(dir,
			func(fd int) error { return unix.Faccessat(fd, ".", unix.X_OK, unix.AT_EACCESS) })
	}
	if err != nil {
		return &SetupError{"change directory", err}
	}
	a := &b.setup.arena
	got := hold(a, new(unix.Stat_t))
	l.add("change directory to "+name, unix.SYS_CHDIR, a.text(name))
	l.add("look at "+name, sysFstatat, atCwd, a.text("."), got, 0)
	l.add("change directory to "+name, sameObject, got, hold(a, want))
	return nil
}
