package quarantine

import (
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// peerOf returns who was at the other end when it connected (SO_PEERCRED, unix(7)).
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

// within names a file in an open folder in few bytes: a socket's name has 107 at most (unix(7)),
// and the state directory's may be longer.
func within(folder *os.File, name string) string {
	return "/proc/self/fd/" + strconv.Itoa(int(folder.Fd())) + "/" + name
}
