//go:build amd64 || arm64

package attack

import (
	"errors"

	"golang.org/x/sys/unix"
)

// listenJoint listens at an address that others may share.
func listenJoint(family int, sa unix.Sockaddr) (int, error) {
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	return fd, errors.Join(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1),
		unix.Bind(fd, sa), unix.Listen(fd, 16))
}
