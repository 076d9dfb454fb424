//go:build amd64 || arm64

package sandbox

import (
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// What a child gets at Base for the UDP sockets that it asks for. A true one could send to any address in a call that no filter sees into. This one is an end of
// a pair of Unix sockets that keep the bounds of packets (SOCK_SEQPACKET), with the launcher at the other: the kernel ignores the address of a send on it, so the packets of
// programs that connect first, and of those that name the server with every packet, come here alone. Questions for names are answered; there is nothing else to talk to.
// What the calls of a true one tell of addresses is told by the launcher: see receive.

// maxPacketSockets bounds the descriptors that a child can make the launcher hold. Resolvers use one for each question under way.
const maxPacketSockets = 128

// A packetSocket is one that stands in.
type packetSocket struct {
	file *os.File       // our end
	six  bool           // it was asked for as one of IPv6
	to   netip.AddrPort // the name server that it is connected to
}

// packetSocket answers socket(2).
func (c *netCall) packetSocket(family, kind int) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		c.reply(err)
		return
	}
	if kind&unix.SOCK_NONBLOCK == 0 {
		err = unix.SetNonblock(pair[1], false)
	}
	cookie, cerr := unix.GetsockoptUint64(pair[1], unix.SOL_SOCKET, unix.SO_COOKIE)
	if err != nil || cerr != nil || !c.broker.answerPackets(cookie, pair[0], family == unix.AF_INET6) {
		unix.Close(pair[0])
		unix.Close(pair[1])
		c.reply(unix.ENFILE)
		return
	}
	c.give(pair[1], kind)
}

// answerPackets answers the questions that come to our end of a pair, until the child's is closed. It reports false when there are too many already.
func (k *broker) answerPackets(cookie uint64, fd int, six bool) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.packets) >= maxPacketSockets {
		return false
	}
	f := os.NewFile(uintptr(fd), "packets")
	if k.packets == nil {
		k.packets = map[uint64]*packetSocket{}
	}
	k.packets[cookie] = &packetSocket{file: f, six: six}
	k.readers.Go(func() {
		for {
			packet := make([]byte, 1<<12)
			n, err := f.Read(packet)
			if err != nil || n == 0 {
				break
			}
			k.inTurn(func() {
				if reply := k.answerTo(packet[:n]); reply != nil {
					_ = f.SetWriteDeadline(time.Now().Add(idle)) // a child that does not read holds nobody up for ever
					_, _ = f.Write(reply)
				}
			})
		}
		k.mu.Lock()
		delete(k.packets, cookie)
		k.mu.Unlock()
		f.Close()
	})
	return true
}

// standsFor returns the domain of the socket that one of the child's stands in for, 0 when it is a true one.
func (k *broker) standsFor(fd int) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch p := k.packetsAt(fd); {
	case p == nil:
		return 0
	case p.six:
		return unix.AF_INET6
	}
	return unix.AF_INET
}

// packetsAt returns what stands in at a socket of the child, or nil. The caller holds mu.
func (k *broker) packetsAt(fd int) *packetSocket {
	if len(k.packets) == 0 {
		return nil
	}
	cookie, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_COOKIE)
	if err != nil {
		return nil
	}
	return k.packets[cookie]
}

// answering returns whose answers come to a socket that stands in: the server it is connected to, or the first one, whoever was asked. Resolvers that ask several ask the
// first one too.
func (k *broker) answering(fd int) (server netip.AddrPort) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.packetsAt(fd)
	if p == nil {
		return server
	}
	for _, s := range append([]netip.AddrPort{p.to}, k.servers...) {
		if s.IsValid() && (p.six || s.Addr().Unmap().Is4()) {
			server = netip.AddrPortFrom(s.Addr().Unmap(), s.Port())
			break
		}
	}
	if p.six {
		return netip.AddrPortFrom(netip.AddrFrom16(server.Addr().As16()), server.Port())
	}
	return server
}

// packetsTo answers connect(2) for a socket that stands in: where the name servers are, it is connected already.
func (c *netCall) packetsTo(t *target) {
	if t.family != unix.AF_UNSPEC && !c.broker.isNameServer(t.addr) {
		c.nowhere(t, c.wantsTheWay(t), t.addr)
		return
	}
	c.broker.mu.Lock()
	if p := c.broker.packetsAt(t.fd); p != nil {
		p.to = t.addr // none with AF_UNSPEC
	}
	c.broker.mu.Unlock()
	c.settle(t, nil)
}
