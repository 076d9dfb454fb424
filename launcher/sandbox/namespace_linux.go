//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// What Strong adds. All mounts are made before Landlock, which forbids mounts afterwards, and all in a mount namespace of
// the steward's own, so that nothing of it is seen outside and no file is left behind anywhere.

// namespaces lists the steward's steps at Strong.
func (b *builder) namespaces(l *life) error {
	l.add("join the namespaces", unix.SYS_SETNS, uintptr(b.nest.pidfd), b.nest.flags())
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

// trees makes everything read-only but the writable trees. Landlock has no right for the mode, owner, times and attributes of a file;
// a read-only mount refuses to change them.
func (b *builder) trees(l *life) error {
	a := &b.family.arena
	writable := b.writable()
	if len(writable) > 0 && writable[0] == "/" {
		b.keepInPlace(l)
		b.privateTemp(l, nil)
		return nil
	}
	carried := b.carried(writable)
	trees := append(carried, writable...) // one that is writable can lie in one that is not
	grounds := b.grounds()
	if n := len(trees) + len(grounds); n > maxTrees {
		return fmt.Errorf("sandbox: %d writable trees (those with hidden or protected files count twice), at most %d", n, maxTrees)
	}
	// Copies are taken while the trees can still be written.
	for i, tree := range trees {
		l.add("copy the mount of "+tree, unix.SYS_OPEN_TREE, atCwd, a.text(tree), unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE).kept(uint8(i + 1))
	}
	b.readOnly(l, "/")
	for i := range grounds {
		grounds[i].register = uint8(len(trees) + i + 1)
		b.pin(l, grounds[i])
	}
	b.privateTemp(l, trees)
	for i, tree := range trees {
		l.add("mount "+tree, unix.SYS_MOVE_MOUNT, 0, a.text(""), atCwd, a.text(tree), unix.MOVE_MOUNT_F_EMPTY_PATH).with(uint8(i+1), 0)
		if i < len(carried) {
			b.readOnly(l, tree)
		}
	}
	for _, g := range grounds {
		for _, name := range g.kept {
			g.lay(a, l, "keep "+name, name)
		}
	}
	return nil
}

// maxTrees leaves the registers from listener on to those that use them.
const maxTrees = registerCount - 8

func (b *builder) readOnly(l *life, name string) {
	a := &b.family.arena
	l.add("make "+name+" read-only", unix.SYS_MOUNT_SETATTR, atCwd, a.text(name), unix.AT_RECURSIVE,
		hold(a, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}), unix.MOUNT_ATTR_SIZE_VER0)
}

// masks lays an empty directory or file that nobody may open over every hidden name.
func (b *builder) masks(l *life) error {
	a := &b.family.arena
	// What lies over the names is made in memory, once, on the one directory that is certain to exist and that the child covers again: a
	// file system for each name costs ten times as much. It is left there: an unmount waits until no processor looks at the mount any more, which can take a millisecond.
	const flags = unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	tmpfs, proc, file, dir := a.text("tmpfs"), a.text("/proc"), a.text("/proc/file"), a.text("/proc/dir")
	made := false
	for _, name := range b.hidden {
		st, err := os.Lstat(name)
		if err != nil {
			return fmt.Errorf("sandbox: hide %q: %w", name, err)
		}
		if b.leadsTo(name) {
			continue // something in it is allowed; Landlock alone keeps the rest away
		}
		if slices.ContainsFunc(b.hidden, func(over string) bool { return over != name && within(name, over) && !b.leadsTo(over) }) {
			continue // hidden with its folder, in which it cannot be found any more
		}
		if !made {
			made = true
			l.add("make what hides", unix.SYS_MOUNT, tmpfs, proc, tmpfs, unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, a.text("nr_inodes=4"))
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

// leadsTo reports whether something that the profile allows lies below name.
func (b *builder) leadsTo(name string) bool {
	for _, list := range [][]Path{b.profile.Read, b.profile.Write, b.profile.Devices} {
		for _, p := range list {
			if within(p.Name, name) && (!p.Optional || exists(p.Name)) {
				return true
			}
		}
	}
	return false
}

func exists(name string) bool { _, err := os.Lstat(name); return err == nil }

// loopback switches on the loopback device of the new network namespace, the only one there.
func (f *family) loopback(l *life) {
	request := &[40]byte{'l', 'o'} // struct ifreq
	request[16] = unix.IFF_UP | unix.IFF_RUNNING
	l.add("start loopback", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC).kept(registerCount - 1)
	l.add("start loopback", unix.SYS_IOCTL, 0, unix.SIOCSIFFLAGS, hold(&f.arena, request)).with(registerCount-1, 0)
}

// privateProc mounts a /proc that shows only the new pid namespace, which takes a process inside of it.
// It and /dev/shm are new objects, so their Landlock rules can only be added here.
func (b *builder) privateProc(l *life, number int) {
	a := &b.family.arena
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	l.add("mount proc", unix.SYS_MOUNT, a.text("proc"), a.text("/proc"), a.text("proc"), flags)
	b.lower(l)
	l.add("make proc read-only", unix.SYS_MOUNT, 0, a.text("/proc"), 0, unix.MS_REMOUNT|unix.MS_RDONLY|flags, 0)
	late := b.lateRules()
	for _, p := range b.profile.Read {
		if within(p.Name, "/proc") {
			late = append(late, lateRule{p.Name, fsRead})
		}
	}
	for _, rule := range late {
		attr := &pathBeneath{rule.rights & b.files.abi.fs, int32(number)}
		l.add("open "+rule.name, unix.SYS_OPENAT, atCwd, a.text(rule.name), unix.O_PATH|unix.O_CLOEXEC).kept(registerCount - 1)
		l.add("open "+rule.name, unix.SYS_DUP3, 0, uintptr(number), unix.O_CLOEXEC).with(registerCount-1, 0).or(unix.EINVAL) // it has that number already
		l.add("allow "+rule.name, unix.SYS_LANDLOCK_ADD_RULE, uintptr(b.files.fd), unix.LANDLOCK_RULE_PATH_BENEATH, hold(a, attr), 0)
	}
}

// enterDir changes to the working directory by name, since the caller's descriptor leads to the mounts outside, and
// makes sure that it is the same directory.
func (b *builder) enterDir(l *life) error {
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
		err = control(dir, func(fd int) error { return unix.Faccessat(fd, ".", unix.X_OK, unix.AT_EACCESS) })
	}
	if err != nil {
		return &SetupError{"change directory", err}
	}
	a := &b.family.arena
	got := hold(a, new(unix.Stat_t))
	l.add("change directory to "+name, unix.SYS_CHDIR, a.text(name))
	l.add("look at "+name, sysFstatat, atCwd, a.text("."), got, 0)
	l.add("change directory to "+name, sameObject, got, hold(a, want))
	return nil
}

// whatIs returns the name that the kernel has for an open file, and its identity.
func whatIs(file *os.File) (name string, st *unix.Stat_t, err error) {
	st = new(unix.Stat_t)
	err = control(file, func(fd int) error {
		if err := unix.Fstat(fd, st); err != nil {
			return err
		}
		name, err = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		return err
	})
	return name, st, err
}

// writable returns the names of the writable trees, outer before inner. What lies in another one has no mount of its own: the
// kernel does not remove or rename what something is mounted on, and a command may do that with what it also writes.
func (b *builder) writable() []string {
	var names []string
	for _, p := range b.profile.Write {
		if p.Optional && !exists(p.Name) {
			continue
		}
		names = append(names, p.Name)
	}
	slices.Sort(names)
	var trees []string
	for _, name := range names {
		if !slices.ContainsFunc(trees, func(tree string) bool { return within(name, tree) }) {
			trees = append(trees, name)
		}
	}
	return trees
}

// everyID is an id map of all ids onto themselves.
const everyID = "0 0 4294967295\n"

// mapIDs writes the id maps of the user namespace of pid. Every id stays the number it is: who may map all that there are does
// (root), others only their own, and other people's files then show as nobody's.
func mapIDs(pid int) error {
	dir := "/proc/" + itoa(pid) + "/"
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

// write writes text in one call, as the files of /proc want it.
func write(name, text string) error {
	fd, err := unix.Open(name, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	if _, err = unix.Write(fd, []byte(text)); err != nil {
		return &os.PathError{Op: "write", Path: name, Err: err}
	}
	return nil
}
