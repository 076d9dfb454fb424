//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/seccomp"
)

// A packet that is sent without connecting names its receiver in the call. The fence needs no answer about it: it leads nowhere but to the name servers, and at Strong to the run itself.
// The launcher is asked so that the record says where it was to go, and the program is told at once, alike at both levels. What may go, and every call on other
// sockets, the kernel makes itself: whatever is swapped meanwhile, nobody else is reached.

// sendRules come after those that refuse Fast Open. The commonest way to send, without an address, is not asked about; whether a message has one, a filter does not see.
func (b *builder) sendRules() []seccomp.Rule {
	if b.profile.Network != Hosts {
		return nil
	}
	return []seccomp.Rule{
		seccomp.On(unix.SYS_SENDTO, seccomp.Allow, seccomp.Arg(4, 0), seccomp.High(4, 0)), seccomp.On(unix.SYS_SENDTO, seccomp.Ask),
		seccomp.On(unix.SYS_SENDMSG, seccomp.Allow, b.giving.tests()...), // nobody answers before it
		seccomp.On(unix.SYS_SENDMSG, seccomp.Ask), seccomp.On(unix.SYS_SENDMMSG, seccomp.Ask),
	}
}

// maxMessages is how many messages the kernel takes in one call (UIO_MAXIOV), and mmsghdrSize what each takes in the caller's memory.
const (
	maxMessages = 1024
	mmsghdrSize = msghdrSize + 8
)

// send answers the calls that may name a receiver. One that leads nowhere refuses the whole call, and nothing of it is sent.
func (c *netCall) send() {
	named := c.receivers()
	if len(named) == 0 {
		c.goOn()
		return
	}
	t, err := c.target()
	if err != nil {
		c.goOn() // it says what is wrong
		return
	}
	var lost []netip.AddrPort
	if t.internet() && t.kind == unix.SOCK_DGRAM && (t.packets || c.ownNetwork(&t)) {
		for _, b := range named {
			if to, ok := t.receiver(b); ok && !c.broker.here(&t, to) {
				lost = append(lost, to)
			}
		}
	}
	if len(lost) > 0 {
		c.nowhere(&t, false, lost...)
		return
	}
	unix.Close(t.fd)
	c.goOn()
}

// nowhere refuses packets to some addresses, and notes them by name; those to hosts that may be reached are passed over if the caller only wants the way there.
func (c *netCall) nowhere(t *target, wantsTheWay bool, list ...netip.AddrPort) {
	k := c.broker
	work := func() {
		for _, to := range list {
			if v := k.gate.Connect(k.ctx, to); !v.OK || !wantsTheWay {
				c.refused("udp", to, network.Verdict{Host: v.Host, Why: "UDP is not available in the sandbox"})
			}
		}
		c.settle(t, unix.ENETUNREACH)
	}
	if slices.ContainsFunc(list, func(to netip.AddrPort) bool { return !k.gate.Instant(to) }) {
		k.beside(work)
		return
	}
	work()
}

// discard is the port to which Go's resolver looks for a way.
const discard = 9

// wantsTheWay reports whether a connect may be a resolver's that puts addresses in order (RFC 6724) and sends nothing. Those of the C libraries block; who talks QUIC does not.
func (c *netCall) wantsTheWay(t *target) bool {
	flags, err := unix.FcntlInt(uintptr(t.fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_NONBLOCK == 0 || t.addr.Port() == discard
}

// receivers copies the addresses that a call names, each once. Of a call that cannot be read the kernel says so.
func (c *netCall) receivers() (list [][]byte) {
	add := func(at uint64, size uint32) {
		if at == 0 {
			return
		}
		b := make([]byte, min(size, unix.SizeofSockaddrInet6))
		if memory(c.notification, at, b) == nil {
			list = append(list, b)
		}
	}
	if c.nr == unix.SYS_SENDTO {
		add(c.args[4], uint32(c.args[5]))
		return list
	}
	count, stride := 1, msghdrSize
	if c.nr == unix.SYS_SENDMMSG {
		count, stride = int(min(uint32(c.args[2]), maxMessages)), mmsghdrSize
	}
	for i := range count {
		var head [msghdrParts]byte
		if memory(c.notification, c.args[1]+uint64(i*stride), head[:]) != nil {
			break
		}
		add(binary.NativeEndian.Uint64(head[0:]), binary.NativeEndian.Uint32(head[msghdrNameSize:]))
	}
	return list
}

// receiver reads an address as the kernel does where packets are sent: one of no family is for a socket of IPv4 one of its own, and for one of IPv6 none.
func (t *target) receiver(b []byte) (to netip.AddrPort, ok bool) {
	if len(b) < 2 {
		return to, false
	}
	if binary.NativeEndian.Uint16(b) == unix.AF_UNSPEC && t.domain == unix.AF_INET {
		binary.NativeEndian.PutUint16(b, unix.AF_INET)
	}
	if t.parse(b) != nil || t.family == unix.AF_UNSPEC {
		return to, false
	}
	return t.addr, true
}

// here reports whether somebody may get a packet: a name server, and in a network of the run's own, the run itself.
func (k *broker) here(t *target, to netip.AddrPort) bool {
	if k.isNameServer(to) {
		return true
	}
	addr := to.Addr().Unmap()
	if t.packets {
		return false
	}
	for _, s := range k.servers {
		if s.Addr().Unmap() == addr {
			return true
		}
	}
	return addr.IsLoopback() || addr.IsUnspecified()
}
