//go:build amd64 || arm64

package attack

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// setIDs are attacks that leave a file behind which gives the user's rights to the process that
// runs it.
var setIDs = []Attack{
	{Name: "chmod set-uid", try: func(w World) error {
		return unix.Chmod(w.Workspace+"/own", 0o4755)
	}},
	{Name: "chmod set-gid", try: func(w World) error {
		return unix.Chmod(w.Workspace+"/own", 0o2755)
	}},
	{Name: "fchmodat2 set-uid", try: func(w World) error {
		p, _ := unix.BytePtrFromString(w.Workspace + "/own")
		return call(unix.SYS_FCHMODAT2, ^uintptr(99), uintptr(unsafe.Pointer(p)), 0o4755, 0)
	}},
	{Name: "create set-uid", try: func(w World) error {
		return unixOpen(w.Workspace+"/suid", unix.O_CREAT|unix.O_WRONLY, 0o4755)
	}},
	{Name: "create set-uid O_TMPFILE", try: func(w World) error {
		return unixOpen(w.Workspace, unix.O_TMPFILE|unix.O_WRONLY, 0o4755)
	}},
	{Name: "create set-uid openat2", try: func(w World) error {
		_, err := unix.Openat2(unix.AT_FDCWD, w.Workspace+"/suid2",
			&unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: 0o4755})
		return err
	}},
	{Name: "mknod set-uid", try: func(w World) error {
		return unix.Mknod(w.Workspace+"/suid3", unix.S_IFREG|0o4755, 0)
	}},
	{Name: "mknod device", Root: true, try: func(w World) error {
		return unix.Mknod(w.Workspace+"/mem", unix.S_IFCHR|0o600, 1<<8|1)
	}},
}
