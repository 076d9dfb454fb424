//go:build amd64 || arm64

package attack

import (
	"errors"

	"golang.org/x/sys/unix"
)

// beside are attacks on the clients of another program's server, of a run that may have servers on
// this machine.
var beside = []Attack{
	{Name: "listen on a server's port", near: true, try: func(w World) error {
		fd, err := listenJoint(unix.AF_INET,
			&unix.SockaddrInet4{Port: port(w.Joint), Addr: [4]byte{127, 0, 0, 1}})
		return errors.Join(err, unix.Close(fd))
	}},
	{Name: "listen on a server's port, all addresses", near: true, try: func(w World) error {
		fd, err := listenJoint(unix.AF_INET, &unix.SockaddrInet4{Port: port(w.Joint)})
		return errors.Join(err, unix.Close(fd))
	}},
	{Name: "listen on a server's port, IPv6", near: true, try: func(w World) error {
		fd, err := listenJoint(unix.AF_INET6,
			&unix.SockaddrInet6{Port: port(w.TCP), Addr: [16]byte{15: 1}})
		return errors.Join(err, unix.Close(fd))
	}},
}
