//go:build amd64 || arm64

package attack

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// A descriptor that a process outside passes in (SCM_RIGHTS, unix(7)) needs no call that a sandbox
// about addresses would look at: it is connected already.

// given takes such a socket and uses it.
func given(name string) error {
	conn, err := net.DialTimeout("unix", name, 2*time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Second))
	control := make([]byte, syscall.CmsgSpace(4))
	_, n, _, _, err := conn.(*net.UnixConn).ReadMsgUnix(make([]byte, 1), control)
	if err != nil {
		return err
	}
	messages, err := syscall.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) == 0 {
		return errors.Join(err, errors.New("nothing was handed over"))
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fds[0]), "gift")
	defer f.Close()
	if _, err := f.Write([]byte("x")); err != nil {
		return err
	}
	_, err = f.Read(make([]byte, 1))
	return err
}
