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

// maxPacketSockets bounds the descriptors that a child can make the launcher hold. Resolvers use one for each question under way.
const maxPacketSockets = 128

// packetSocket answers socket(2).
func (c *netCall) packetSocket(kind int) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		c.reply(err)
		return
	}
	if kind&unix.SOCK_NONBLOCK == 0 {
		err = unix.SetNonblock(pair[1], false)
	}
	cookie, cerr := unix.GetsockoptUint64(pair[1], unix.SOL_SOCKET, unix.SO_COOKIE)
	if err != nil || cerr != nil || !c.broker.answerPackets(cookie, pair[0]) {
		unix.Close(pair[0])
		unix.Close(pair[1])
		c.reply(unix.ENFILE)
		return
	}
	c.give(pair[1], kind)
}

// answerPackets answers the questions that come to our end of a pair, until the child's is closed. It reports false when there are too many already.
func (k *broker) answerPackets(cookie uint64, fd int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.packets) >= maxPacketSockets {
		return false
	}
	f := os.NewFile(uintptr(fd), "packets")
	if k.packets == nil {
		k.packets = map[uint64]*os.File{}
	}
	k.packets[cookie] = f
	go func() {
		for {
			packet := make([]byte, 1<<12)
			n, err := f.Read(packet)
			if err != nil || n == 0 {
				break
			}
			k.beside(func() {
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
	}()
	return true
}

// ownPackets reports whether a socket of the child is one that stands in.
func (k *broker) ownPackets(fd int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.packets) == 0 {
		return false
	}
	cookie, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_COOKIE)
	return err == nil && k.packets[cookie] != nil
}

// packetsTo answers connect(2): where the name servers are, it is connected already.
func (c *netCall) packetsTo(t *target) error {
	if t.family == unix.AF_UNSPEC || c.broker.isNameServer(t.addr) {
		return nil
	}
	c.nowhere(t.addr)
	return unix.ENETUNREACH
}

// nowhere notes packets that were to go to an address. Those that would not be let there by TCP either are noted with the rule; a name is not asked for.
func (c *netCall) nowhere(to netip.AddrPort) {
	if !c.broker.gate.Instant(to) {
		return
	}
	if v := c.broker.gate.Connect(c.broker.ctx, to); !v.OK {
		v.Why = "UDP leads nowhere in here"
		c.refused("udp", to, v)
	}
}
