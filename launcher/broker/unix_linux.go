//go:build amd64 || arm64

package broker

import (
	"bytes"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxUnixSockets bounds the sockets that a run may listen on at the same time: each holds a
// descriptor.
const maxUnixSockets = 512

// unixSockets are the files of the Unix sockets that the run listens on, held open so that their
// numbers are no others' as long as they count.
type unixSockets struct {
	files   *files   // where names in shared directories are; nil without a view
	changes *capture // nil when nothing is kept

	mu   sync.Mutex
	held []unixFile
}

// A unixFile is one, open only as a handle.
type unixFile struct {
	fd       int
	dev, ino uint64
}

// add takes charge of fd. Those whose name is gone are let go: no path leads to them any more.
func (u *unixSockets) add(fd int) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		unix.Close(fd)
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	left := u.held[:0]
	for _, h := range u.held {
		var now unix.Stat_t
		if unix.Fstat(h.fd, &now) == nil && now.Nlink > 0 && (h.dev != st.Dev || h.ino != st.Ino) {
			left = append(left, h)
			continue
		}
		unix.Close(h.fd)
	}
	if u.held = left; len(u.held) >= maxUnixSockets {
		unix.Close(fd)
		return
	}
	u.held = append(u.held, unixFile{fd, st.Dev, st.Ino})
}

// find returns a descriptor, the caller's own, of the socket file that st describes; -1 when the
// run does not listen there.
func (u *unixSockets) find(st *unix.Stat_t) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, h := range u.held {
		if h.dev == st.Dev && h.ino == st.Ino {
			fd, err := unix.FcntlInt(uintptr(h.fd), unix.F_DUPFD_CLOEXEC, 0)
			if err == nil {
				return fd
			}
		}
	}
	return -1
}

func (u *unixSockets) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, h := range u.held {
		unix.Close(h.fd)
	}
	u.held = nil
}

// openPath opens what the caller means by path, only as a handle.
func openPath(c *call, path string) (int, error) {
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC}
	base := c.process() + "cwd"
	if own, ok := strings.CutPrefix(path, "/proc/self/"); ok { // a way around 107 bytes
		path = c.process() + own
	} else if filepath.IsAbs(path) {
		base, how.Resolve = c.process()+"root", unix.RESOLVE_IN_ROOT
	}
	at, err := handle(base)
	if err != nil {
		return -1, err
	}
	defer unix.Close(at)
	return unix.Openat2(at, path, how)
}

// unixName returns the name that a Unix socket is bound to; one that begins with a zero is
// abstract, an empty one is none.
func unixName(fd int) ([]byte, error) {
	var sa unix.RawSockaddrUnix
	size := uint32(unsafe.Sizeof(sa))
	_, _, errno := unix.Syscall(unix.SYS_GETSOCKNAME, uintptr(fd), uintptr(unsafe.Pointer(&sa)),
		uintptr(unsafe.Pointer(&size)))
	if errno != 0 {
		return nil, errno
	}
	name := unsafe.Slice((*byte)(unsafe.Pointer(&sa.Path[0])), len(sa.Path))
	return bytes.Clone(name[:max(0, min(int(size)-2, len(name)))]), nil
}

// cString is the C string that b begins with.
func cString(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

// siocUnixFile opens the file that a Unix socket is bound to (SIOCUNIXFILE, Linux 4.14). It takes
// to own the network that the socket is in.
const siocUnixFile = 0x89e0

// fileOf opens the file that a socket is bound to, -1 if it is not known. If the kernel does not
// open it, it is looked up by its name, and must have the numbers that the kernel reports.
func fileOf(c *call, socket int, path string) int {
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), siocUnixFile, 0)
	if errno == 0 {
		return int(fd)
	}
	dev, ino, err := boundFile(socket)
	if err != nil {
		return -1
	}
	found, err := openPath(c, path)
	if err != nil {
		return -1
	}
	var st unix.Stat_t
	// The kernel reports the lower half of a file's number, which is enough if there is no upper
	// one.
	if err := unix.Fstat(found, &st); err != nil || st.Dev != dev || st.Ino != ino ||
		st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		unix.Close(found)
		return -1
	}
	return found
}
