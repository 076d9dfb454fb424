//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"io"
	"net/netip"
	"os"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Who answers the child's questions for names. It asks the gate, which decides what may be asked.

// answerOn answers the questions that come as packets.
func (k *broker) answerOn(f *os.File) {
	k.mu.Lock()
	k.files = append(k.files, f)
	k.mu.Unlock()
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	k.readers.Go(func() {
		for {
			packet := make([]byte, 1<<12)
			var from unix.Sockaddr
			var n int
			err := conn.Read(func(fd uintptr) bool {
				var err error
				n, from, err = unix.Recvfrom(int(fd), packet, 0)
				return err != unix.EAGAIN && err != unix.EINTR
			})
			if err != nil {
				return
			}
			if from == nil || n <= 0 {
				continue
			}
			k.inTurn(func() {
				reply := k.answerTo(packet[:n])
				if reply != nil {
					_ = conn.Control(func(fd uintptr) { _ = unix.Sendto(int(fd), reply, 0, from) })
				}
			})
		}
	})
}

// answerTo answers one question, and notes what was refused.
func (k *broker) answerTo(message []byte) []byte {
	reply, v := k.gate.Answer(k.ctx, message)
	if !v.OK {
		k.book.add(Connection{Time: time.Now(), Kind: "name", Host: v.Host, Refused: true, Why: v.Why, Fix: v.Fix})
	}
	return reply
}

// isNameServer reports whether an address is where the child asks for names.
func (k *broker) isNameServer(to netip.AddrPort) bool {
	for _, s := range k.servers {
		if s.Addr().Unmap() == to.Addr().Unmap() && s.Port() == to.Port() {
			return true
		}
	}
	return false
}

// A listenerForNames takes the questions that come as a stream. It listens on this machine's loopback, and talks only to sockets of the child that it was told of.
type listenerForNames struct {
	file *os.File
	at   netip.AddrPort

	mu       sync.Mutex
	expected map[netip.AddrPort]bool
}

// reachNames connects a socket to the one who answers. The child sees another address than it asked for, and does not mind.
func (c *netCall) reachNames(t *target, nonblock bool) error {
	six := t.domain == unix.AF_INET6 && !t.dual()
	l, err := c.broker.streamNames(six)
	if err != nil {
		return unix.ECONNREFUSED
	}
	to := l.at
	if t.domain == unix.AF_INET6 && !six {
		to = netip.AddrPortFrom(netip.AddrFrom16(to.Addr().As16()), to.Port())
	}
	l.mu.Lock() // until the address is known that it comes from
	defer l.mu.Unlock()
	if nonblock {
		err = unix.Connect(t.fd, t.sockaddr(to))
	} else {
		err = c.await(t, to)
	}
	from := t.local()
	l.expected[netip.AddrPortFrom(from.Addr().Unmap(), from.Port())] = true
	return err
}

// streamNames starts to listen when it is first needed: few programs ask over TCP, and fewer by a socket that knows only IPv6 (six).
func (k *broker) streamNames(six bool) (*listenerForNames, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l := k.tcpNames[six]; l != nil {
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
	l := &listenerForNames{file: os.NewFile(uintptr(fd), "names"), at: addrPort(sa), expected: map[netip.AddrPort]bool{}}
	k.tcpNames[six] = l
	go k.accept(l)
	return l, nil
}

func (k *broker) accept(l *listenerForNames) {
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
		mine := l.expected[addrPort(from)]
		delete(l.expected, addrPort(from))
		l.mu.Unlock()
		if !mine {
			f.Close() // another program of this machine
			continue
		}
		select {
		case k.talks <- struct{}{}:
			go k.converse(f)
		default:
			f.Close() // as a busy server does; who asks tries again
		}
	}
}

// idle is how long a stream of questions may be silent, and maxTalks how many there may be: each holds a descriptor of the launcher's and up to 64 KiB.
const (
	idle     = 10 * time.Second
	maxTalks = 128
)

// converse answers the questions of one stream (RFC 7766).
func (k *broker) converse(f *os.File) {
	defer func() { <-k.talks; f.Close() }()
	for k.ctx.Err() == nil {
		_ = f.SetDeadline(time.Now().Add(idle))
		var size [2]byte
		if _, err := io.ReadFull(f, size[:]); err != nil {
			return
		}
		message := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(f, message); err != nil {
			return
		}
		reply := k.answerTo(message)
		if reply == nil {
			return
		}
		if _, err := f.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...)); err != nil {
			return
		}
	}
}

func pointer[T any](p *T) unsafe.Pointer { return unsafe.Pointer(p) }
