//go:build amd64 || arm64

package attack

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// namespaces are attacks that build another world inside, or take the sandbox down from inside.
// Ordinary users reach them by a user namespace.
var namespaces = []Attack{
	{Name: "unshare user", try: func(World) error { return inFork(unix.CLONE_NEWUSER) }},
	{Name: "clone3 user", try: func(World) error {
		args := [8]uint64{0: unix.CLONE_NEWUSER, 4: uint64(unix.SIGCHLD)}
		return forked(syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), 64, 0))
	}},
	{Name: "mount", Root: true, try: func(w World) error {
		return unix.Mount("none", w.Workspace, "tmpfs", 0, "")
	}},
	{Name: "umount", Root: true, try: func(World) error {
		if err := unix.Unmount("/proc", unix.MNT_DETACH); err != nil {
			return err
		}
		return unix.Mount("proc", "/proc", "proc", 0, "")
	}},
	{Name: "open_tree", Root: true, try: func(World) error {
		_, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)
		return err
	}},
	{Name: "setns", Root: true, try: func(World) error {
		fd, err := unix.Open("/proc/self/ns/net", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Setns(fd, unix.CLONE_NEWNET)
	}},
	{Name: "chroot", Root: true, try: func(World) error { return unix.Chroot("/") }},
	{Name: "clone user, high bits",
		try: func(World) error { return inFork(1<<32 | unix.CLONE_NEWUSER) }},
	{Name: "unshare network", Root: true,
		try: func(World) error { return unix.Unshare(unix.CLONE_NEWNET) }},
	{Name: "remount writable", Root: true, try: func(w World) error {
		return unix.Mount("none", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "")
	}},
	{Name: "mount by new calls", Root: true, try: func(World) error {
		fd, err := unix.Fsopen("tmpfs", 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}},
	{Name: "mount attributes", Root: true, try: func(World) error {
		return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{})
	}},
	{Name: "swap root", Root: true, try: func(w World) error {
		if err := unix.PivotRoot(w.Workspace, w.Workspace); err != unix.EINVAL &&
			err != unix.EBUSY {
			return err
		}
		return nil // the call was looked at
	}},
}

// inFork tries unshare in a process of its own: threads cannot.
func inFork(flags uintptr) error {
	return forked(syscall.RawSyscall(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0))
}

//go:nosplit
func forked(pid, _ uintptr, errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		for {
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	return nil
}
