//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where the launcher answers for sockets, a run may have Unix sockets among its own processes: a test's database, tmux, python's managers. Those of anybody else (docker, ssh-agent,
// the session bus) stay out of reach, and Landlock sees them only from version 9.
//
// A name is bound by the kernel alone, where the run may write. When the run listens, the launcher notes which file the socket has, and holds it open, so that its number
// is no other's as long as it counts. When the run connects, the launcher looks up the name and, if the file is one of those, connects to the very file that it holds. Names are only a
// way to find it: whatever is swapped, nothing else can be reached. The server sees the launcher as its peer, who is the same user.
//
// Only streams and sequenced packets: a datagram names who gets it in each message, where nobody can answer.

// maxLocals bounds the sockets that a run may listen on at the same time: each holds a descriptor.
const maxLocals = 512

// locals are the Unix sockets that the run listens on.
type locals struct {
	mu   sync.Mutex
	held []local
}

// A local is the file of one, open only as a handle.
type local struct {
	fd       int
	dev, ino uint64
}

// add takes charge of fd. Those whose name is gone are let go: nobody finds them any more.
func (l *locals) add(fd int) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		unix.Close(fd)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	left := l.held[:0]
	for _, h := range l.held {
		var now unix.Stat_t
		if unix.Fstat(h.fd, &now) == nil && now.Nlink > 0 && (h.dev != st.Dev || h.ino != st.Ino) {
			left = append(left, h)
			continue
		}
		unix.Close(h.fd)
	}
	if l.held = left; len(l.held) >= maxLocals {
		unix.Close(fd)
		return
	}
	l.held = append(l.held, local{fd, st.Dev, st.Ino})
}

// find returns a descriptor, the caller's own, of the socket file that st describes; -1 when the run does not listen there.
func (l *locals) find(st *unix.Stat_t) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.held {
		if h.dev == st.Dev && h.ino == st.Ino {
			fd, err := unix.FcntlInt(uintptr(h.fd), unix.F_DUPFD_CLOEXEC, 0)
			if err == nil {
				return fd
			}
		}
	}
	return -1
}

func (l *locals) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.held {
		unix.Close(h.fd)
	}
	l.held = nil
}

// connectLocal connects a Unix socket to another one of the run's.
func (c *netCall) connectLocal(t *target, address []byte) {
	name := address[2:]
	switch {
	case len(name) == 0:
		c.settle(t, unix.EINVAL)
	case name[0] != 0:
		c.connectFile(t, string(name[:end(name)]))
	case !c.ownNetwork(t): // an abstract name is the network's, and this one is everybody's
		c.settle(t, unix.EACCES)
	default:
		c.connectTo(t, &unix.SockaddrUnix{Name: "@" + string(name[1:])})
	}
}

// end returns how long the C string is that b begins with.
func end(b []byte) int {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return i
	}
	return len(b)
}

// connectFile connects to the socket at a path, as the child would find it.
func (c *netCall) connectFile(t *target, path string) {
	fd, err := c.lookUp(path)
	if err != nil {
		c.settle(t, err)
		return
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	name, _ := os.Readlink("/proc/self/fd/" + itoa(fd))
	unix.Close(fd)
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		err = unix.ECONNREFUSED
	}
	if err != nil {
		c.settle(t, err)
		return
	}
	own := c.broker.locals.find(&st)
	if own < 0 {
		// What a server left behind that is gone says so to its next start.
		if err = unix.EACCES; c.broker.writable(name) && !listened(&st) {
			err = unix.ECONNREFUSED
		}
		c.settle(t, err)
		return
	}
	c.connectTo(t, &unix.SockaddrUnix{Name: "/proc/self/fd/" + itoa(own)}, own)
}

// connectTo connects, which may wait for room in the server's queue, and closes the descriptors.
func (c *netCall) connectTo(t *target, to unix.Sockaddr, fds ...int) {
	work := func() {
		c.settle(t, unix.Connect(t.fd, to))
		for _, fd := range fds {
			unix.Close(fd)
		}
	}
	if flags, err := unix.FcntlInt(uintptr(t.fd), unix.F_GETFL, 0); err == nil && flags&unix.O_NONBLOCK != 0 {
		work()
		return
	}
	c.broker.beside(work)
}

// settle answers, and lets go of the socket.
func (c *netCall) settle(t *target, err error) {
	unix.Close(t.fd)
	c.reply(err)
}

// lookUp opens what the child means by path, only as a handle.
func (c *netCall) lookUp(path string) (int, error) {
	process := "/proc/" + itoa(int(c.pid)) + "/"
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC}
	base := process + "cwd"
	if own, ok := strings.CutPrefix(path, "/proc/self/"); ok { // a way around the 107 bytes that a name may have
		path = process + own
	} else if filepath.IsAbs(path) {
		base, how.Resolve = process+"root", unix.RESOLVE_IN_ROOT
	}
	at, err := handle(base)
	if err != nil {
		return -1, err
	}
	defer unix.Close(at)
	return unix.Openat2(at, path, how)
}

// listenLocal listens on a Unix socket.
func (c *netCall) listenLocal(t *target) {
	address, err := localAddress(t.fd)
	switch {
	case err != nil:
	case len(address) > 0 && address[0] == 0:
		if !c.ownNetwork(t) {
			err = unix.EACCES
		}
	case len(address) > 0:
		if fd := c.fileOf(t.fd, string(address[:end(address)])); fd >= 0 {
			c.broker.locals.add(fd)
		}
	}
	if err == nil {
		err = unix.Listen(t.fd, int(int32(c.args[1])))
	}
	c.settle(t, err)
}

// localAddress returns the name that a Unix socket is bound to; one that begins with a zero is abstract, an empty one is none.
func localAddress(fd int) ([]byte, error) {
	var sa unix.RawSockaddrUnix
	size := uint32(unsafe.Sizeof(sa))
	_, _, errno := unix.Syscall(unix.SYS_GETSOCKNAME, uintptr(fd), uintptr(unsafe.Pointer(&sa)), uintptr(unsafe.Pointer(&size)))
	if errno != 0 {
		return nil, errno
	}
	name := unsafe.Slice((*byte)(unsafe.Pointer(&sa.Path[0])), len(sa.Path))
	return bytes.Clone(name[:max(0, min(int(size)-2, len(name)))]), nil
}

// siocUnixFile opens the file that a Unix socket is bound to (SIOCUNIXFILE, Linux 4.14). It takes to own the network that the socket is in.
const siocUnixFile = 0x89e0

// fileOf opens the file that socket is bound to, -1 when it cannot be known. Where the kernel does not open it for us, it is looked up by its name, and is the one
// whose numbers the kernel tells.
func (c *netCall) fileOf(socket int, path string) int {
	if fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), siocUnixFile, 0); errno == 0 {
		return int(fd)
	}
	dev, ino, err := diagnose(socket)
	if err != nil {
		return -1
	}
	fd, err := c.lookUp(path)
	if err != nil {
		return -1
	}
	var st unix.Stat_t
	// The kernel tells the lower half of a file's number, which is enough where there is no upper one.
	if err := unix.Fstat(fd, &st); err != nil || st.Dev != dev || st.Ino != ino || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		unix.Close(fd)
		return -1
	}
	return fd
}

// diagnose asks the kernel which file a Unix socket of the launcher's network is bound to.
func diagnose(socket int) (dev, ino uint64, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(socket, &st); err != nil {
		return 0, 0, err
	}
	err = unix.ENOENT
	bad := askUnix(unix.NLM_F_REQUEST, ^uint32(0), uint32(st.Ino), func(its uint32, d, i uint64) {
		if its == uint32(st.Ino) {
			dev, ino, err = d, i, nil
		}
	})
	return dev, ino, errors.Join(err, bad)
}

// listened reports whether somebody in the launcher's network listens at the file.
func listened(st *unix.Stat_t) (found bool) {
	const listening = 1 << 10
	_ = askUnix(unix.NLM_F_REQUEST|unix.NLM_F_DUMP, listening, 0, func(_ uint32, dev, ino uint64) {
		found = found || dev == st.Dev && ino == uint64(uint32(st.Ino))
	})
	return found
}

// askUnix asks the kernel for Unix sockets (unix_diag, sock_diag(7)): the one with a number, or all in some states. Each is told with its number and with the device and
// the lower half of the number of the file that it is bound to.
func askUnix(flags uint16, states, number uint32, tell func(its uint32, dev, ino uint64)) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	order := binary.NativeEndian
	request := make([]byte, 40) // nlmsghdr, unix_diag_req
	order.PutUint32(request[0:], uint32(len(request)))
	order.PutUint16(request[4:], unix.SOCK_DIAG_BY_FAMILY)
	order.PutUint16(request[6:], flags)
	request[16] = unix.AF_UNIX
	order.PutUint32(request[20:], states)
	order.PutUint32(request[24:], number)
	order.PutUint32(request[28:], 2)          // UDIAG_SHOW_VFS
	order.PutUint64(request[32:], ^uint64(0)) // whatever its cookie
	if err := unix.Sendto(fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 32<<10)
	for {
		n, _, err := unix.Recvfrom(fd, answer, 0)
		if err != nil {
			return err
		}
		messages, err := syscall.ParseNetlinkMessage(answer[:n])
		if err != nil {
			return err
		}
		for _, m := range messages {
			if m.Header.Type != unix.SOCK_DIAG_BY_FAMILY { // the end, or an error
				return nil
			}
			fileOfMessage(m.Data, tell)
		}
		if flags&unix.NLM_F_DUMP == 0 {
			return nil
		}
	}
}

// fileOfMessage reads a unix_diag_msg with its attributes.
func fileOfMessage(b []byte, tell func(its uint32, dev, ino uint64)) {
	const head, file = 16, 1 // UNIX_DIAG_VFS: number, device
	order := binary.NativeEndian
	if len(b) < head {
		return
	}
	for rest := b[head:]; len(rest) >= 4; {
		size := int(order.Uint16(rest))
		if size < 4 || size > len(rest) {
			return
		}
		if order.Uint16(rest[2:]) == file && size >= 12 {
			d := order.Uint32(rest[8:]) // as the kernel keeps it: 12 bits and 20
			tell(order.Uint32(b[4:]), unix.Mkdev(d>>20, d&(1<<20-1)), uint64(order.Uint32(rest[4:])))
		}
		rest = rest[min(len(rest), (size+3)&^3):]
	}
}

// ownNetwork reports whether a socket is in the network that the run has for itself: the caller's, and not the launcher's.
func (c *netCall) ownNetwork(t *target) bool {
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(t.fd), unix.SIOCGSKNS, 0)
	if errno != 0 {
		return false
	}
	defer unix.Close(int(fd))
	var its, ours, callers unix.Stat_t
	if unix.Fstat(int(fd), &its) != nil || unix.Stat("/proc/self/ns/net", &ours) != nil || unix.Stat("/proc/"+itoa(int(c.pid))+"/ns/net", &callers) != nil {
		return false
	}
	return its.Ino != ours.Ino && its.Ino == callers.Ino && its.Dev == callers.Dev
}
