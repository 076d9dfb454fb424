//go:build amd64 || arm64

package sandbox

import (
	"context"
	"net/netip"
	"os"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// More requests of the listener, from linux/seccomp.h.
const (
	notifyAddFd      = 0x40182103
	notifySetFlags   = 0x40082104
	notifySyncWakeUp = 1
	notifyContinue   = 1 // in an answer: the kernel makes the call itself
)

// A handedFd is struct seccomp_notif_addfd.
type handedFd struct {
	id           uint64
	flags        uint32
	srcfd, newfd uint32
	newfdFlags   uint32
}

// A broker makes the network calls of one run for it. It is used by one thread, but for what takes time: that goes on beside it, and the calls behind it do not wait.
type broker struct {
	gate    *network.Gate
	book    book
	servers []netip.AddrPort
	least   int // the first port that is nobody's privilege
	locals  locals

	writable func(name string) bool // whether a name lies where the run may write

	ctx     context.Context
	cancel  context.CancelFunc
	slow    sync.WaitGroup
	readers sync.WaitGroup // of questions that come as packets, until their file is closed
	room    chan struct{}  // a place for each call that takes time
	talks   chan struct{}  // and for each stream of questions for names

	mu       sync.Mutex
	narrowed map[uint16]bool            // ports whose IPv6 listener is at an IPv4 address
	tcpNames map[bool]*listenerForNames // who answers over TCP; true is IPv6
	packets  map[uint64]*packetSocket   // what stands in for UDP sockets, by the kernel's name for the child's end
	files    []*os.File
}

// maxSlow is how many connections may be on their way at the same time in calls that block: each holds a thread. Programs with many use calls that do not.
const maxSlow = 256

func newBroker(gate *network.Gate, servers []netip.AddrPort) *broker {
	k := &broker{gate: gate, servers: servers, least: leastPort(), room: make(chan struct{}, maxSlow), talks: make(chan struct{}, maxTalks), narrowed: map[uint16]bool{}, tcpNames: map[bool]*listenerForNames{}, book: book{noted: make(chan struct{}, 1)}}
	k.ctx, k.cancel = context.WithCancel(context.Background())
	return k
}

// close ends what is under way. Calls that still wait are answered by the end of the listener.
func (k *broker) close() {
	k.cancel()
	k.mu.Lock()
	for _, f := range k.files {
		f.Close()
	}
	for _, p := range k.packets {
		p.file.Close()
	}
	k.mu.Unlock()
	k.readers.Wait() // first: they bring what slow counts
	k.slow.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range k.tcpNames {
		l.file.Close()
	}
	k.locals.close()
}

// A netCall is one call being answered.
type netCall struct {
	*notification
	listener int
	broker   *broker
}

// take answers a call if it is about the network.
func (k *broker) take(listener int, n *notification) bool {
	c := &netCall{n, listener, k}
	switch uint32(n.nr) {
	case unix.SYS_SOCKET:
		c.socket()
	case unix.SYS_CONNECT:
		c.connect()
	case unix.SYS_BIND:
		c.bind()
	case unix.SYS_LISTEN:
		c.listen()
	case unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG:
		c.send()
	case unix.SYS_RECVFROM, unix.SYS_RECVMSG, unix.SYS_RECVMMSG:
		c.receive()
	case unix.SYS_GETSOCKNAME, unix.SYS_GETPEERNAME:
		c.name()
	case unix.SYS_SETSOCKOPT:
		c.option()
	default:
		return false
	}
	return true
}

// reply is the answer of a call that has no other result than an error.
func (c *netCall) reply(err error) {
	a := answer{id: c.id}
	if err != nil {
		a.error = -int32(asErrno(err))
	}
	_ = ioctl(c.listener, notifySend, unsafe.Pointer(&a))
}

// goOn has the kernel make the call. What was looked at may be swapped by then, so this is for calls that are harmless whatever they are about.
func (c *netCall) goOn() {
	a := answer{id: c.id, flags: notifyContinue}
	_ = ioctl(c.listener, notifySend, unsafe.Pointer(&a))
}

// waits reports whether the child still waits for this answer: only then what was read of it was its own, and only then its number is its own.
func (c *netCall) waits() bool { return ioctl(c.listener, notifyValid, unsafe.Pointer(&c.id)) == nil }

// socket gives the child a TCP socket of this machine's network.
func (c *netCall) socket() {
	kind := int(int32(c.args[1]))
	if kind&sockType == unix.SOCK_DGRAM {
		c.packetSocket(int(int32(c.args[0])), kind)
		return
	}
	fd, err := unix.Socket(int(int32(c.args[0])), kind|unix.SOCK_CLOEXEC, int(int32(c.args[2])))
	if err != nil {
		c.reply(err)
		return
	}
	c.give(fd, kind)
}

// give puts a socket into the child's table as the answer, and lets go of it.
func (c *netCall) give(fd, kind int) {
	defer unix.Close(fd)
	number, err := handOver(c.listener, c.id, fd, kind&unix.SOCK_CLOEXEC)
	if err != nil {
		c.reply(err) // its table is full
		return
	}
	a := answer{id: c.id, val: int64(number)}
	_ = ioctl(c.listener, notifySend, unsafe.Pointer(&a))
}

// handOver puts a descriptor into the table of the child that made the call, and returns its number there. First the descriptor, then the answer, which is the caller's:
// the kernel can do both at once, but a signal that reaches us meanwhile takes the descriptor back and leaves an answer of 0 (Linux 6.18).
func handOver(listener int, id uint64, fd, flags int) (int, error) {
	add := handedFd{id: id, srcfd: uint32(fd), newfdFlags: uint32(flags)}
	for {
		number, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), notifyAddFd, uintptr(unsafe.Pointer(&add)))
		switch errno {
		case 0:
			return int(number), nil
		case unix.EINTR:
		default:
			return -1, errno
		}
	}
}

// A target is the child's socket, as the launcher holds it for the time of one call, and the address that goes with it.
type target struct {
	fd     int
	domain int
	kind   int
	family uint16
	addr   netip.AddrPort
	zone   uint32

	packets bool   // it stands in for a UDP socket
	bytes   []byte // the whole address, as the child wrote it
}

// pidfdThread makes a pidfd of a thread (Linux 6.9).
const pidfdThread = unix.O_EXCL

// target takes hold of the socket in the first argument. What the child puts under the number later is another one.
func (c *netCall) target() (t target, err error) {
	pid, err := unix.PidfdOpen(int(c.pid), pidfdThread)
	if err == unix.EINVAL {
		if pid, err = unix.PidfdOpen(int(c.pid), 0); err != nil { // not the first thread, or too old a kernel
			pid, err = unix.PidfdOpen(threadGroup(int(c.pid)), 0)
		}
	}
	if err != nil {
		return t, unix.ESRCH
	}
	defer unix.Close(pid)
	if t.fd, err = unix.PidfdGetfd(pid, int(int32(c.args[0])), 0); err != nil {
		return t, err
	}
	if !c.waits() {
		unix.Close(t.fd)
		return t, unix.ESRCH
	}
	if t.domain = c.broker.standsFor(t.fd); t.domain != 0 {
		t.packets, t.kind = true, unix.SOCK_DGRAM
		return t, nil
	}
	if t.domain, err = unix.GetsockoptInt(t.fd, unix.SOL_SOCKET, unix.SO_DOMAIN); err == nil {
		t.kind, err = unix.GetsockoptInt(t.fd, unix.SOL_SOCKET, unix.SO_TYPE)
	}
	if err != nil {
		unix.Close(t.fd)
	}
	return t, err
}

// addressed takes hold of the socket and copies the address, once.
func (c *netCall) addressed() (t target, err error) {
	var b [unix.SizeofSockaddrAny]byte
	size := int32(c.args[2])
	switch {
	case size < 0 || int(size) > len(b):
		return t, unix.EINVAL
	case size < 2:
		return t, unix.EINVAL
	}
	if err := memory(c.notification, c.args[1], b[:size]); err != nil {
		return t, unix.EFAULT
	}
	if t, err = c.target(); err != nil {
		return t, err
	}
	if t.bytes = b[:size]; !t.internet() {
		return t, nil
	}
	if err := t.parse(b[:size]); err != nil {
		unix.Close(t.fd)
		return t, err
	}
	return t, nil
}

// internet reports whether it is a socket of the kinds that lead to other machines.
func (t *target) internet() bool { return t.domain == unix.AF_INET || t.domain == unix.AF_INET6 }

// parse reads a socket address, as the kernel would for this socket.
func (t *target) parse(b []byte) error {
	t.family = uint16(b[0]) | uint16(b[1])<<8 // both architectures are little-endian
	switch {
	case t.family == unix.AF_UNSPEC:
	case t.family == unix.AF_INET && len(b) >= unix.SizeofSockaddrInet4:
		t.addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), uint16(b[2])<<8|uint16(b[3]))
	case t.family == unix.AF_INET6 && len(b) >= unix.SizeofSockaddrInet6-4:
		t.addr = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:24])), uint16(b[2])<<8|uint16(b[3]))
		if len(b) >= unix.SizeofSockaddrInet6 {
			t.zone = uint32(b[24]) | uint32(b[25])<<8 | uint32(b[26])<<16 | uint32(b[27])<<24
		}
	case t.family == unix.AF_INET || t.family == unix.AF_INET6:
		return unix.EINVAL
	default:
		return unix.EAFNOSUPPORT
	}
	return nil
}

// sockaddr is an address for the target's call, in the family that the child used.
func (t *target) sockaddr(addr netip.AddrPort) unix.Sockaddr {
	if t.family == unix.AF_INET6 {
		return &unix.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16(), ZoneId: t.zone}
	}
	return network.Sockaddr(addr)
}

// threadGroup returns the process that a thread is of, or 0.
func threadGroup(tid int) int {
	return statusNumber(tid, "Tgid:")
}

// leastPort returns the first port that may be listened on without privilege. The child has none, whatever the launcher has.
func leastPort() int {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_unprivileged_port_start")
	if err != nil {
		return 1024
	}
	n := 0
	for _, c := range text {
		if c >= '0' && c <= '9' {
			n = n*10 + int(c-'0')
		}
	}
	return n
}

// bind gives a socket its address, if the run may be reached there.
func (c *netCall) bind() {
	t, err := c.addressed()
	if err != nil {
		c.reply(err)
		return
	}
	defer unix.Close(t.fd)
	if !t.internet() {
		// A Unix socket gets a name where the run may write (Landlock), one of netlink its number, as getifaddrs(3) wants it. A TCP socket that is put in its
		// place meanwhile may not be bound (Landlock 4), and its address is looked at again when it listens.
		c.goOn()
		return
	}
	c.reply(c.bindTo(&t))
}

func (c *netCall) bindTo(t *target) error {
	switch {
	case t.packets && t.addr.Addr().IsUnspecified() && t.addr.Port() == 0: // as a resolver does before it asks
		return nil
	case t.packets:
		return unix.EACCES
	case t.family == unix.AF_UNSPEC && t.domain == unix.AF_INET: // as bind(2) has it, for old programs
		t.family = unix.AF_INET
		t.addr = netip.AddrPortFrom(netip.IPv4Unspecified(), 0)
	case t.family == unix.AF_UNSPEC:
		return unix.EAFNOSUPPORT
	}
	if t.kind == unix.SOCK_DGRAM { // of the child's own network
		return unix.Bind(t.fd, t.sockaddr(t.addr))
	}
	at, v := c.broker.gate.Bind(t.addr)
	if !v.OK {
		c.refused("listen", t.addr, v)
		return unix.EACCES
	}
	if port := int(at.Port()); port != 0 && port < c.broker.least && at == t.addr && !at.Addr().Unmap().IsLoopback() {
		// published: a person has named the port, which is more than a privilege
	} else if port != 0 && port < c.broker.least {
		return unix.EACCES
	}
	narrow := at != t.addr && t.domain == unix.AF_INET6 && t.dual()
	if narrow {
		at = netip.AddrPortFrom(netip.AddrFrom16(netip.AddrFrom4([4]byte{127, 0, 0, 1}).As16()), at.Port())
	}
	if err := unix.Bind(t.fd, t.sockaddr(at)); err != nil {
		return err
	}
	if narrow {
		c.broker.mu.Lock()
		c.broker.narrowed[t.localPort()] = true
		c.broker.mu.Unlock()
	}
	return nil
}

// dual reports whether an IPv6 socket takes IPv4 too. A server that means both at all addresses gets IPv4 on the loopback: whoever tries
// one address of "localhost" tries the other too, and who writes an address writes 127.0.0.1.
func (t *target) dual() bool {
	only, err := unix.GetsockoptInt(t.fd, unix.SOL_IPV6, unix.IPV6_V6ONLY)
	return err == nil && only == 0
}

func (t *target) local() netip.AddrPort {
	sa, err := unix.Getsockname(t.fd)
	if err != nil {
		return netip.AddrPort{}
	}
	return addrPort(sa)
}

func (t *target) localPort() uint16 { return t.local().Port() }

func addrPort(sa unix.Sockaddr) netip.AddrPort {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(sa.Addr), uint16(sa.Port))
	}
	return netip.AddrPort{}
}

// listen starts to take connections. A socket without an address gets one here, as the kernel would give it one, and it would be reachable from everywhere.
func (c *netCall) listen() {
	t, err := c.target()
	if err != nil {
		c.reply(err)
		return
	}
	if t.domain == unix.AF_UNIX {
		c.listenLocal(&t)
		return
	}
	defer unix.Close(t.fd)
	if t.packets || !t.internet() {
		c.reply(unix.EOPNOTSUPP)
		return
	}
	at := t.local()
	if at.Port() == 0 && t.kind == unix.SOCK_STREAM {
		t.family, t.addr = uint16(t.domain), at
		if err := c.bindTo(&t); err != nil {
			c.reply(err)
			return
		}
		at = t.local()
	}
	// A connect that failed may have left an address that means the whole machine.
	_, v := c.broker.gate.Bind(at)
	if !v.OK || at.Addr().IsUnspecified() && !c.broker.published(at.Port()) {
		c.refused("listen", at, v)
		c.reply(unix.EACCES)
		return
	}
	c.broker.book.watch() // before the first connection
	if err = unix.Listen(t.fd, int(int32(c.args[1]))); err == nil {
		err = c.listening(&t, at, v.Host)
	}
	c.reply(err)
}

// listening looks once more where a socket is that listens now. A connect under way, which ended in between, can have taken its address away.
func (c *netCall) listening(t *target, at netip.AddrPort, host string) error {
	if now := t.local(); now.Addr() != at.Addr() {
		_ = unix.Shutdown(t.fd, unix.SHUT_RDWR) // it takes no connections any more
		return unix.EADDRNOTAVAIL
	}
	c.record(Connection{Kind: "listen", Address: plain(at), Host: host, serves: at.Port()})
	return nil
}

func (k *broker) published(port uint16) bool {
	at, v := k.gate.Bind(netip.AddrPortFrom(netip.IPv4Unspecified(), port))
	return v.OK && at.Addr().IsUnspecified()
}

// record notes something that the caller did.
func (c *netCall) record(e Connection) {
	e.Time, e.PID = time.Now(), int(c.pid)
	e.Program, _ = os.Readlink("/proc/" + itoa(int(c.pid)) + "/exe")
	c.broker.book.add(e)
}

// plain writes an address as people do: one of IPv4 as such, whatever socket it was for.
func plain(at netip.AddrPort) string {
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port()).String()
}

func (c *netCall) refused(kind string, to netip.AddrPort, v network.Verdict) {
	c.record(Connection{Kind: kind, Host: v.Host, Address: plain(to), Refused: true, Why: v.Why, Fix: v.Fix})
}
