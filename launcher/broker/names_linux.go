//go:build amd64 || arm64

package broker

import (
	"encoding/binary"
	"io"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// idle is how long a stream of lookups may be silent, and maxTalks how many there may be: each
// holds a descriptor of the launcher's and up to 64 KiB.
const (
	idle     = 10 * time.Second
	maxTalks = 128
)

// A nameService answers the run's lookups of names. It asks the gate, which decides what may be
// looked up.
type nameService struct {
	gate    *network.Gate
	log     *connectionLog
	work    *workers
	servers []netip.AddrPort
	talks   chan struct{} // a place for each stream of lookups

	mu      sync.Mutex
	files   []*os.File             // where lookups come as packets
	streams map[bool]*nameListener // where they come as streams; true is IPv6
}

// serves reports whether an address is where the run sends its lookups.
func (n *nameService) serves(to netip.AddrPort) bool {
	return slices.ContainsFunc(n.servers, func(s netip.AddrPort) bool {
		return s.Addr().Unmap() == to.Addr().Unmap() && s.Port() == to.Port()
	})
}

// answer answers one lookup, and notes what was refused.
func (n *nameService) answer(message []byte) []byte {
	reply, v := n.gate.Answer(n.work.ctx, message)
	if !v.OK {
		n.log.add(Connection{
			Time: time.Now(), Kind: "name", Host: v.Host,
			Refusal: Refusal{Refused: true, Why: v.Why, Fix: v.Fix},
		})
	}
	return reply
}

// hangUp ends what comes as packets.
func (n *nameService) hangUp() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, f := range n.files {
		f.Close()
	}
}

// close ends the rest.
func (n *nameService) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.streams {
		l.file.Close()
	}
}

// answerInside answers the lookups that come to the servers' addresses in the run's own network,
// each by a socket from there.
func (n *nameService) answerInside(fds []int) {
	for i, fd := range fds {
		server := n.servers[i]
		at := network.Sockaddr(server)
		if addAddress(fd, server.Addr(), i) != nil || bindWhenThere(fd, at) != nil {
			unix.Close(fd) // the others may do
			continue
		}
		n.answerPackets(os.NewFile(uintptr(fd), "names"))
	}
}

// addAddress puts an address on the loopback of the network that socket fd, of the same family, is
// in. The launcher may, because it owns the user namespace around that network.
func addAddress(fd int, addr netip.Addr, at int) error {
	ioctl := func(request uintptr, p unsafe.Pointer) error {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(p))
		if errno != 0 {
			return errno
		}
		return nil
	}
	switch {
	case addr.IsLoopback():
		return nil
	case addr.Is4(): // struct ifreq: an alias, because an interface has one address by this call
		request := [40]byte{'l', 'o', ':', byte('a' + at)}
		binary.NativeEndian.PutUint16(request[16:], unix.AF_INET)
		a := addr.As4()
		copy(request[20:], a[:])
		return ioctl(unix.SIOCSIFADDR, unsafe.Pointer(&request))
	}
	request := struct {
		addr   [16]byte
		prefix uint32
		index  int32
	}{addr.As16(), 128, 1} // the loopback is the first interface of every network
	return ioctl(unix.SIOCSIFADDR, unsafe.Pointer(&request))
}

// bindWhenThere binds to an address that was just added. One of IPv6 counts a moment later: the
// kernel looks for its double first, on a loopback too, in a thread of its own (addrconf_dad_work).
// Until then nothing can be bound there, and no packet finds the way.
func bindWhenThere(fd int, at unix.Sockaddr) error {
	const most = 100 * time.Millisecond
	err := unix.Bind(fd, at)
	for wait := 50 * time.Microsecond; err == unix.EADDRNOTAVAIL && wait < most; wait *= 2 {
		time.Sleep(wait)
		err = unix.Bind(fd, at)
	}
	return err
}

// answerPackets answers the lookups that come as packets, until the file is closed.
func (n *nameService) answerPackets(f *os.File) {
	n.mu.Lock()
	n.files = append(n.files, f)
	n.mu.Unlock()
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	n.work.readers.Go(func() {
		for {
			packet := make([]byte, 1<<12)
			var from unix.Sockaddr
			var size int
			err := conn.Read(func(fd uintptr) bool {
				var err error
				size, from, err = unix.Recvfrom(int(fd), packet, 0)
				return err != unix.EAGAIN && err != unix.EINTR
			})
			if err != nil {
				return
			}
			if from == nil || size <= 0 {
				continue
			}
			n.work.inTurn(func() {
				if reply := n.answer(packet[:size]); reply != nil {
					_ = conn.Control(func(fd uintptr) { _ = unix.Sendto(int(fd), reply, 0, from) })
				}
			})
		}
	})
}

// A nameListener takes the lookups that come as a stream. It listens on this machine's loopback,
// and talks only to sockets of the run that were registered with it.
type nameListener struct {
	file *os.File
	at   netip.AddrPort

	mu       sync.Mutex
	expected map[netip.AddrPort]bool
}

// stream starts to listen when it is first needed: few programs look names up over TCP, and fewer
// by a socket that knows only IPv6 (six).
func (n *nameService) stream(six bool) (*nameListener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if l := n.streams[six]; l != nil {
		return l, nil
	}
	family, at := unix.AF_INET, unix.Sockaddr(&unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if six {
		family, at = unix.AF_INET6, &unix.SockaddrInet6{Addr: netip.IPv6Loopback().As16()}
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err = unix.Bind(fd, at); err == nil {
		err = unix.Listen(fd, 16)
	}
	sa, serr := unix.Getsockname(fd)
	if err != nil || serr != nil {
		unix.Close(fd)
		return nil, unix.ECONNREFUSED
	}
	f := os.NewFile(uintptr(fd), "names")
	l := &nameListener{file: f, at: addrPort(sa), expected: map[netip.AddrPort]bool{}}
	n.streams[six] = l
	go n.accept(l)
	return l, nil
}

func (n *nameService) accept(l *nameListener) {
	conn, err := l.file.SyscallConn()
	if err != nil {
		return
	}
	for {
		fd, from := -1, unix.Sockaddr(nil)
		err := conn.Read(func(listening uintptr) bool {
			var err error
			fd, from, err = unix.Accept4(int(listening), unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
			return err != unix.EAGAIN && err != unix.EINTR
		})
		if err != nil {
			return
		}
		if fd < 0 {
			continue
		}
		f := os.NewFile(uintptr(fd), "names")
		l.mu.Lock()
		own := l.expected[addrPort(from)]
		delete(l.expected, addrPort(from))
		l.mu.Unlock()
		if !own {
			f.Close() // another program of this machine
			continue
		}
		select {
		case n.talks <- struct{}{}:
			go n.converse(f)
		default:
			f.Close() // as a busy server does; the caller tries again
		}
	}
}

// converse answers the lookups of one stream (RFC 7766).
func (n *nameService) converse(f *os.File) {
	defer func() { <-n.talks; f.Close() }()
	for n.work.ctx.Err() == nil {
		_ = f.SetDeadline(time.Now().Add(idle))
		var size [2]byte
		if _, err := io.ReadFull(f, size[:]); err != nil {
			return
		}
		message := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(f, message); err != nil {
			return
		}
		reply := n.answer(message)
		if reply == nil {
			return
		}
		head := binary.BigEndian.AppendUint16(nil, uint16(len(reply)))
		if _, err := f.Write(append(head, reply...)); err != nil {
			return
		}
	}
}
