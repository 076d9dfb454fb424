//go:build amd64 || arm64

package broker

import (
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// terminals are those that the run has made (Profile.Terminals). All terminals of the machine are
// in one directory, so Landlock grants none there; the broker makes and opens the run's own. It
// holds each as a handle: when it is gone, its name may be another program's. None becomes the
// terminal of the caller's session by being opened; programs that make terminals ask for that
// (TIOCSCTTY).
type terminals struct {
	makes bool // the run may

	mu   sync.Mutex
	held map[string]int // by name
}

// maxTerminals bounds how many a run has at a time.
const maxTerminals = 256

const slaves = "/dev/pts/"

// are reports whether a name is one of terminals.
func (t *terminals) are(name string) bool { return strings.HasPrefix(name, "/dev/pt") }

// open makes a terminal and returns its master, or opens one of the run's own; ours is false for
// another.
func (t *terminals) open(name string, flags uint32) (fd int, ours bool, err error) {
	how := int(flags)&(unix.O_ACCMODE|unix.O_NONBLOCK) | unix.O_NOCTTY | unix.O_CLOEXEC
	t.mu.Lock()
	defer t.mu.Unlock()
	if name == "/dev/ptmx" || name == slaves+"ptmx" {
		fd, err = t.make(how)
		return fd, true, err
	}
	at, ours := t.held[name]
	if ours {
		fd, err = openAgain(at, how)
	}
	return fd, ours, err
}

func (t *terminals) make(how int) (int, error) {
	if len(t.held) >= maxTerminals {
		t.drop(func(at int) bool {
			var st unix.Stat_t
			return unix.Fstat(at, &st) != nil || st.Nlink == 0
		})
	}
	if len(t.held) >= maxTerminals {
		return -1, unix.ENOSPC
	}
	master, err := unix.Open("/dev/ptmx", how, 0)
	if err != nil {
		return -1, err
	}
	name, at, err := slaveOf(master)
	if err != nil {
		unix.Close(master)
		return -1, unix.EIO
	}
	if t.held == nil {
		t.held = map[string]int{}
	}
	if old, known := t.held[name]; known {
		unix.Close(old)
	}
	t.held[name] = at
	return master, nil
}

// slaveOf returns the name and a handle of the other side of a new terminal. That the name leads to
// it is made sure of: in containers /dev/ptmx can be of another directory.
func slaveOf(master int) (name string, at int, err error) {
	number, err := unix.IoctlGetInt(master, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		return "", -1, err
	}
	peer, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER,
		unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		return "", -1, errno
	}
	defer unix.Close(int(peer))
	name = slaves + strconv.Itoa(number)
	at, err = unix.Open(name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", -1, err
	}
	var there, st unix.Stat_t
	if unix.Fstat(int(peer), &there) != nil || unix.Fstat(at, &st) != nil ||
		there.Dev != st.Dev || there.Ino != st.Ino || there.Rdev != st.Rdev {
		unix.Close(at)
		return "", -1, os.ErrNotExist
	}
	return name, at, nil
}

// drop lets go of those for which a condition holds.
func (t *terminals) drop(when func(at int) bool) {
	for name, at := range t.held {
		if when(at) {
			unix.Close(at)
			delete(t.held, name)
		}
	}
}

func (t *terminals) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(func(int) bool { return true })
}
