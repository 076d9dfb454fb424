//go:build amd64 || arm64

package attack

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// terminals are attacks on the terminal, which is descriptor 0.
var terminals = []Attack{
	{Name: "TIOCSTI", try: func(World) error {
		c := byte('x')
		return call(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
	}},
	{Name: "TIOCSTI, high bits", try: func(World) error {
		c := byte('x')
		return call(unix.SYS_IOCTL, 0, 1<<32|unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
	}},
	{Name: "TIOCLINUX", try: func(World) error {
		c := byte(3)
		err := call(unix.SYS_IOCTL, 0, 0x541c, uintptr(unsafe.Pointer(&c)))
		if err == unix.EINVAL || err == unix.ENOTTY {
			return nil // a pty has no such thing, and the call got as far as the pty
		}
		return err
	}},
	{Name: "another terminal", try: func(w World) error {
		return unixOpen(w.Terminal, unix.O_RDWR|unix.O_NOCTTY, 0)
	}},
	{Name: "another terminal, for reading", try: func(w World) error {
		return unixOpen(w.Terminal, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	}},
	{Name: "another terminal, for writing", try: func(w World) error {
		return unixOpen(w.Terminal, unix.O_WRONLY|unix.O_NOCTTY, 0)
	}},
	{Name: "another terminal, beside an own one", try: func(w World) error {
		own, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(own)
		return unixOpen(w.Terminal, unix.O_RDWR|unix.O_NOCTTY, 0)
	}},
	{Name: "terminal line discipline", try: func(World) error {
		n := int32(0)
		return call(unix.SYS_IOCTL, 0, unix.TIOCSETD, uintptr(unsafe.Pointer(&n)))
	}},
}
