package served

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/flock"
	"github.com/tada-run/tada-run/approval/private"
)

// A Listener is the socket of an agent.
type Listener struct {
	net.Listener
	path string
	lock *os.File
	dir  *os.File

	closing sync.Mutex
}

// leaves is how long an agent that ends, and what it has started and not yet executed, may hold its
// lock still.
const leaves = 2 * time.Second

// lockSuffix names the file that the one agent of a socket has locked.
const lockSuffix = ".lock"

// Listen makes the socket at path, in a folder of this account alone. What an agent that has ended
// left there is removed. The error wraps [approval.ErrLocked] if another agent serves it.
func Listen(path string) (*Listener, error) {
	if err := private.CheckFolder(path); err != nil {
		return nil, err
	}
	lock, err := private.Open(path+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, private.Named(path+lockSuffix, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaves)
	defer cancel()
	if err := flock.Wait(ctx, lock, syscall.LOCK_EX, nil); err != nil {
		if ctx.Err() != nil {
			err = &approval.FileError{Path: path, Err: approval.ErrLocked,
				Hint: "another agent serves it; end that one first"}
		}
		return nil, private.Named(path, err)
	}
	l := &Listener{path: path, lock: lock}
	if err := l.open(); err != nil {
		lock.Close()
		return nil, private.Named(path, err)
	}
	return l, nil
}

// open binds the socket, through a descriptor of its folder, as clients connect.
func (l *Listener) open() error {
	info, err := os.Lstat(l.path)
	switch {
	case err == nil && info.Mode().Type() != os.ModeSocket:
		return errors.New("it is not a socket; move it away")
	case err == nil:
		err = os.Remove(l.path)
	case errors.Is(err, os.ErrNotExist):
		err = nil
	}
	if err != nil {
		return err
	}
	if l.dir, err = os.Open(filepath.Dir(l.path)); err != nil {
		return err
	}
	name := "/proc/self/fd/" + strconv.Itoa(int(l.dir.Fd())) + "/" + filepath.Base(l.path)
	unix, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		l.dir.Close()
		return err
	}
	unix.SetUnlinkOnClose(false)
	l.Listener = unix
	return os.Chmod(l.path, 0o600)
}

// Close closes and removes the socket, once. Whoever calls it can listen again when it returns,
// though another call of it may have done the work.
func (l *Listener) Close() error {
	l.closing.Lock()
	defer l.closing.Unlock()
	err := l.Listener.Close()
	if err == nil {
		os.Remove(l.path)
		l.dir.Close()
		l.lock.Close()
	}
	return err
}
