//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// Resolvers look at where an answer comes from, and drop it when that is nobody whom they asked. The kernel has no such address for what stands in for a UDP socket, so at Base the
// calls that tell one (recvfrom with an address, recvmsg, recvmmsg, getsockname, getpeername) are asked about. For a stand-in the launcher makes them, and writes what came and the name
// server's address into the caller's memory; for every other socket the kernel goes on, which is harmless whatever is swapped meanwhile: the child receives with its own rights.

// packetRules come with the network rules. The commonest way to receive, without an address, is not asked about.
func (b *builder) packetRules() []seccomp.Rule {
	if b.profile.Network != Hosts || b.level != Base {
		return nil
	}
	return []seccomp.Rule{
		seccomp.On(unix.SYS_RECVFROM, seccomp.Allow, seccomp.Arg(4, 0), seccomp.High(4, 0)), seccomp.On(unix.SYS_RECVFROM, seccomp.Ask),
		seccomp.On(unix.SYS_RECVMSG, seccomp.Ask), seccomp.On(unix.SYS_RECVMMSG, seccomp.Ask), seccomp.On(unix.SYS_GETSOCKNAME, seccomp.Ask), seccomp.On(unix.SYS_GETPEERNAME, seccomp.Ask),
	}
}

// A message is where a call wants what it receives: places in the caller's memory, 0 for what it does not want.
type message struct {
	parts              []unix.RemoteIovec
	size               int // of all parts
	flags              int
	name, nameSizeAt   uint64
	nameSize           uint32
	controlAt, flagsAt uint64
	countAt            uint64 // of recvmmsg: where the length of the first message goes
}

// The layout of struct msghdr, and what is put up with.
const (
	msghdrSize, msghdrNameSize, msghdrParts, msghdrControl, msghdrFlags = 56, 8, 16, 40, 48

	maxParts  = 64
	maxPacket = 64 << 10
)

// standIn takes hold of the socket if it is one that stands in; the kernel goes on with every other.
func (c *netCall) standIn() (t target, ok bool) {
	t, err := c.target()
	if err == nil && !t.packets {
		unix.Close(t.fd)
	}
	if err != nil || !t.packets {
		c.goOn() // it says what is wrong
		return t, false
	}
	return t, true
}

// option answers setsockopt(2) for an option of IP that is harmless: glibc does not go on with a socket that does not tell of errors (IP_RECVERR).
func (c *netCall) option() {
	if t, ok := c.standIn(); ok {
		c.settle(&t, nil)
	}
}

// receive answers the calls that receive.
func (c *netCall) receive() {
	t, ok := c.standIn()
	if !ok {
		return
	}
	m, err := c.message()
	if err != nil {
		c.settle(&t, err)
		return
	}
	n, err := c.receiveInto(&t, m)
	flags, _ := unix.FcntlInt(uintptr(t.fd), unix.F_GETFL, 0)
	if err != unix.EAGAIN || flags&unix.O_NONBLOCK != 0 || m.flags&unix.MSG_DONTWAIT != 0 {
		c.result(n, err)
		unix.Close(t.fd)
		return
	}
	c.broker.beside(func() {
		if n, err = 0, c.readable(t.fd); err == nil {
			n, err = c.receiveInto(&t, m)
		}
		c.result(n, err)
		unix.Close(t.fd)
	})
}

// result is the answer of a call that returns a number.
func (c *netCall) result(n int, err error) {
	if err != nil {
		c.reply(err)
		return
	}
	a := answer{id: c.id, val: int64(n)}
	_ = ioctl(c.listener, notifySend, pointer(&a))
}

// readable waits as the child would, and as it may be told to stop.
func (c *netCall) readable(fd int) error {
	begin, limit := time.Now(), time.Duration(0)
	if tv, err := unix.GetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO); err == nil {
		limit = time.Duration(tv.Nano())
	}
	for {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, int(glance/time.Millisecond))
		switch {
		case n > 0:
			return nil
		case err != nil && err != unix.EINTR, !c.waits(), c.broker.ctx.Err() != nil:
			return unix.EINTR
		case limit > 0 && time.Since(begin) >= limit:
			return unix.EAGAIN
		case signalled(int(c.pid)):
			return restart
		}
	}
}

// message reads where the call wants what comes.
func (c *netCall) message() (m message, err error) {
	if c.nr == unix.SYS_RECVFROM {
		m = message{parts: []unix.RemoteIovec{{Base: uintptr(c.args[1]), Len: int(min(c.args[2], maxPacket))}}, flags: int(int32(c.args[3])), name: c.args[4], nameSizeAt: c.args[5]}
		m.size = m.parts[0].Len
		m.nameSize, err = c.number(m.nameSizeAt)
		return m, err
	}
	at := c.args[1]
	var head [msghdrSize]byte
	if err := memory(c.notification, at, head[:]); err != nil {
		return m, unix.EFAULT
	}
	order := binary.NativeEndian
	m = message{flags: int(int32(c.args[2])), name: order.Uint64(head[0:]), nameSize: order.Uint32(head[msghdrNameSize:]), nameSizeAt: at + msghdrNameSize, controlAt: at + msghdrControl, flagsAt: at + msghdrFlags}
	if c.nr == unix.SYS_RECVMMSG { // one message is as many as there may be
		m.flags, m.countAt = int(int32(c.args[3])), at+msghdrSize
	}
	table := make([]byte, 16*min(order.Uint64(head[msghdrParts+8:]), maxParts))
	if err := memory(c.notification, order.Uint64(head[msghdrParts:]), table); err != nil {
		return m, unix.EFAULT
	}
	for ; len(table) > 0; table = table[16:] {
		size := int(min(order.Uint64(table[8:]), uint64(maxPacket-m.size)))
		m.parts = append(m.parts, unix.RemoteIovec{Base: uintptr(order.Uint64(table)), Len: size})
		m.size += size
	}
	return m, nil
}

// number reads an int of the child's.
func (c *netCall) number(at uint64) (uint32, error) {
	var b [4]byte
	if err := memory(c.notification, at, b[:]); err != nil {
		return 0, unix.EFAULT
	}
	return binary.NativeEndian.Uint32(b[:]), nil
}

// receiveInto receives one packet, if there is one, and gives it to the child.
func (c *netCall) receiveInto(t *target, m message) (int, error) {
	w, err := c.writing()
	if err != nil {
		return 0, err
	}
	defer w.file.Close()
	packet := make([]byte, maxPacket)
	got, _, err := unix.Recvfrom(t.fd, packet, m.flags&unix.MSG_PEEK|unix.MSG_DONTWAIT)
	if err != nil {
		return 0, err
	}
	rest := packet[:min(got, m.size)]
	for _, p := range m.parts {
		n := min(p.Len, len(rest))
		w.put(uint64(p.Base), rest[:n])
		rest = rest[n:]
	}
	told := 0
	if got > m.size {
		told = unix.MSG_TRUNC
	}
	w.address(m.name, m.nameSizeAt, m.nameSize, c.broker.answering(t.fd))
	w.long(m.controlAt, 0)
	w.int(m.flagsAt, uint32(told))
	n := min(got, m.size)
	if m.flags&unix.MSG_TRUNC != 0 {
		n = got
	}
	if m.countAt != 0 {
		w.int(m.countAt, uint32(n))
		n = 1
	}
	return n, w.err
}

// name answers getsockname(2) and getpeername(2).
func (c *netCall) name() {
	t, ok := c.standIn()
	if !ok {
		return
	}
	size, err := c.number(c.args[2])
	if err != nil {
		c.settle(&t, err)
		return
	}
	peer := c.broker.answering(t.fd)
	if c.nr == unix.SYS_GETSOCKNAME {
		peer = nowhereOf(peer)
	}
	w, err := c.writing()
	if err == nil {
		w.address(c.args[1], c.args[2], size, peer)
		w.file.Close()
		err = w.err
	}
	c.settle(&t, err)
}

// nowhereOf is the address that stands for none, of the same family.
func nowhereOf(a netip.AddrPort) netip.AddrPort {
	if a.Addr().Is4() {
		return netip.AddrPortFrom(netip.IPv4Unspecified(), 0)
	}
	return netip.AddrPortFrom(netip.IPv6Unspecified(), 0)
}

// A writer writes into the memory of a child that waits for an answer. Its file stays that memory, whoever gets the child's number.
type writer struct {
	file *os.File
	err  error
}

func (c *netCall) writing() (*writer, error) {
	f, err := os.OpenFile("/proc/"+itoa(int(c.pid))+"/mem", os.O_WRONLY, 0)
	if err != nil {
		return nil, unix.EFAULT
	}
	if !c.waits() {
		f.Close()
		return nil, unix.ESRCH
	}
	return &writer{file: f}, nil
}

// put writes what is wanted somewhere.
func (w *writer) put(at uint64, b []byte) {
	if at == 0 || len(b) == 0 || w.err != nil {
		return
	}
	if _, err := w.file.WriteAt(b, int64(at)); err != nil {
		w.err = unix.EFAULT
	}
}

func (w *writer) int(at uint64, v uint32) { w.put(at, binary.NativeEndian.AppendUint32(nil, v)) }

func (w *writer) long(at, v uint64) { w.put(at, binary.NativeEndian.AppendUint64(nil, v)) }

// address writes a socket address, as much of it as there is room for, and how long it is.
func (w *writer) address(at, sizeAt uint64, room uint32, a netip.AddrPort) {
	family, b := unix.AF_INET, a.Addr().AsSlice()
	if a.Addr().Is6() {
		family = unix.AF_INET6
		b = append(make([]byte, 4, 24), append(b, 0, 0, 0, 0)...) // flow before, zone behind
	} else {
		b = append(b, make([]byte, 8)...)
	}
	b = append(binary.BigEndian.AppendUint16(binary.NativeEndian.AppendUint16(nil, uint16(family)), a.Port()), b...)
	if at != 0 {
		w.put(at, b[:min(int(room), len(b))])
	}
	w.int(sizeAt, uint32(len(b)))
}
