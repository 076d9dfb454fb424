package quarantine

import (
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// peerOf returns the process at the other end at the time it connected (SO_PEERCRED, unix(7)).
func peerOf(c *net.UnixConn) (pid, uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var cred *unix.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err == nil {
		err = credErr
	}
	if err != nil {
		return 0, 0, err
	}
	return int(cred.Pid), int(cred.Uid), nil
}

// within returns a short name for a file in an open folder: a socket's name has at most 107 bytes
// (unix(7)), and the path of the state directory may be longer.
func within(folder *os.File, name string) string {
	return "/proc/self/fd/" + strconv.Itoa(int(folder.Fd())) + "/" + name
}
