//go:build amd64 || arm64

package attack

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// backRooms are attacks on parts of the kernel that have been ways in before, and on the sandbox's
// own rules.
var backRooms = append([]Attack{
	{Name: "keyctl", try: func(World) error {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true)
		return err
	}},
	{Name: "bpf", Root: true, try: func(World) error {
		attr := [4]uint32{2, 4, 4, 1} // an array map
		return call(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), 16)
	}},
	{Name: "userfaultfd", try: func(World) error { return call(unix.SYS_USERFAULTFD, 1) }},
	// READ_IMPLIES_EXEC
	{Name: "personality", try: func(World) error { return call(unix.SYS_PERSONALITY, 0x0400000) }},
	{Name: "syslog", Root: true, try: func(World) error { return call(unix.SYS_SYSLOG, 10, 0, 0) }},
	{Name: "open by handle", Root: true, try: func(w World) error {
		handle, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, w.Secret, 0)
		if err != nil {
			return err
		}
		_ = mount
		dir, err := unix.Open(w.Workspace, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.OpenByHandleAt(dir, handle, unix.O_RDONLY)
		return err
	}},
	{Name: "perf event", Root: true, try: func(World) error {
		_, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: 112},
			0, -1, -1, 0)
		return err
	}},
	{Name: "add key", try: func(World) error {
		_, err := unix.AddKey("user", "tada-attack", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
		return err
	}},
	{Name: "fanotify", try: func(World) error {
		fd, err := unix.FanotifyInit(unix.FAN_CLASS_NOTIF|unix.FAN_REPORT_FID, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}},
	{Name: "set the clock", Root: true, try: func(World) error {
		if err := unix.ClockSettime(unix.CLOCK_REALTIME,
			&unix.Timespec{Nsec: -1}); err != unix.EINVAL {
			return err
		}
		return nil // the call was looked at
	}},
	{Name: "load a module", Root: true, try: func(World) error {
		if err := unix.FinitModule(-1, "", 0); err != unix.EBADF {
			return err
		}
		return nil // the call was looked at
	}},
}, archAttacks...)
