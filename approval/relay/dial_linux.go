package relay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/private"
)

// dial connects to the socket at path. The way there is a descriptor of its folder, because the
// kernel takes 107 bytes for a name and a state directory may be further away (unix(7)).
func dial(ctx context.Context, path string, limit time.Time) (*os.File, error) {
	if err := private.CheckFolder(path); err != nil {
		return nil, away(err)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if err := isSocket(int(dir.Fd()), path); err != nil {
		return nil, err
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	name := "/proc/self/fd/" + strconv.Itoa(int(dir.Fd())) + "/" + filepath.Base(path)
	if err = connect(ctx, fd, name, limit); err == nil {
		err = isOwn(fd, path)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// away returns the cause of an error about a folder that is not there: then there is no agent.
func away(err error) error {
	if file, ok := err.(*approval.FileError); ok && os.IsNotExist(file.Err) {
		return file.Err
	}
	return err
}

// connectPause is the time between two attempts to connect to an agent whose queue is full.
const connectPause = 5 * time.Millisecond

// connect connects, also to an agent that has many other clients.
func connect(ctx context.Context, fd int, name string, limit time.Time) error {
	for {
		err := unix.Connect(fd, &unix.SockaddrUnix{Name: name})
		switch {
		case err == unix.EINTR:
			continue
		case err != unix.EAGAIN || time.Now().After(limit):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(connectPause):
		}
	}
}

// isSocket refuses anything but a socket, most of all a link to one.
func isSocket(dir int, path string) error {
	var st unix.Stat_t
	err := unix.Fstatat(dir, filepath.Base(path), &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case err != nil:
		return err
	case st.Mode&unix.S_IFMT != unix.S_IFSOCK:
		return &approval.FileError{Path: path, Err: approval.ErrMeddled, Hint: "it is not a socket"}
	}
	return nil
}

// isOwn refuses a process of another account.
func isOwn(fd int, path string) error {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	switch {
	case err != nil:
		return err
	case int(peer.Uid) != os.Geteuid():
		return &approval.FileError{Path: path, Err: approval.ErrMeddled,
			Hint: fmt.Sprintf("the process behind it belongs to uid %d", peer.Uid)}
	}
	return nil
}
