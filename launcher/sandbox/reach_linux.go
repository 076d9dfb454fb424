//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"net/netip"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/seccomp"
)

// With Network Hosts the child's TCP sockets are the machine's own, but it cannot use them by itself: the kernel hands every socket, connect, bind and listen to the launcher, which makes
// the call on the very socket with its own copy of the address. Nothing is looked at twice, so there is nothing to swap in between.
// Everything else that could lead somewhere is shut: the other kinds of sockets as in every fence, and the options by which a socket goes elsewhere than it says.
//
// At Strong the child lives in a network of its own where nothing is but a loopback, so a UDP socket may be had and leads nowhere. The addresses of the name servers
// are put on that loopback, and who answers there is the launcher: every program's own way to ask for names works. At Base a UDP socket could go anywhere,
// so the child gets something else that carries packets, to the launcher alone.

// commonRules is the table that every child gets.
func (b *builder) commonRules() []seccomp.Rule {
	v := noSockets
	switch {
	case b.profile.Network == Full, b.ownLoopback():
		v.stream, v.datagram, v.routes = seccomp.Allow, seccomp.Allow, seccomp.Allow
	case b.profile.Network == Hosts:
		v = socketVerdicts{stream: seccomp.Ask, datagram: seccomp.Ask, local: seccomp.Allow, routes: seccomp.Allow} // at Base what stands in for a datagram socket: see packetSocket
		if b.level == Strong {
			v.datagram = seccomp.Allow
		}
	}
	return rules(v, b.profile.Debug)
}

// ownLoopback reports whether the run has a network where nobody but itself is: this machine's servers were to be reached, and nobody can answer for that.
func (b *builder) ownLoopback() bool { return b.unanswered != nil && b.level == Strong }

// networkRules come first with Network Hosts.
func (b *builder) networkRules() []seccomp.Rule {
	if b.profile.Network != Hosts {
		return nil
	}
	list := []seccomp.Rule{
		seccomp.On(unix.SYS_CONNECT, seccomp.Ask), seccomp.On(unix.SYS_BIND, seccomp.Ask), seccomp.On(unix.SYS_LISTEN, seccomp.Ask),
		seccomp.On(unix.SYS_SETSOCKOPT, seccomp.Errno(unix.EPERM), seccomp.Arg(1, unix.SOL_SOCKET), seccomp.Arg(2, unix.SO_BINDTODEVICE)),
		seccomp.On(unix.SYS_SETSOCKOPT, seccomp.Errno(unix.EPERM), seccomp.Arg(1, unix.SOL_SOCKET), seccomp.Arg(2, unix.SO_BINDTOIFINDEX)),
	}
	harmless := seccomp.Allow
	if b.level == Base {
		harmless = seccomp.Ask // what stands in for a UDP socket takes them too
	}
	for _, level := range []struct {
		level   uint32
		options []uint32
	}{{unix.SOL_IP, harmlessIP}, {unix.SOL_IPV6, harmlessIPv6}} {
		for _, option := range level.options {
			list = append(list, seccomp.On(unix.SYS_SETSOCKOPT, harmless, seccomp.Arg(1, level.level), seccomp.Arg(2, option)))
		}
		list = append(list, seccomp.On(unix.SYS_SETSOCKOPT, seccomp.Errno(unix.EPERM), seccomp.Arg(1, level.level)))
	}
	return append(list, b.packetRules()...)
}

// The options of IP that cannot change where a packet goes. A source route (IP_OPTIONS, IPV6_RTHDR) sends the packets of an allowed connection to
// any host on the way, which may answer in the other's place; both can be set without privilege.
var (
	harmlessIP = []uint32{
		unix.IP_TOS, unix.IP_TTL, unix.IP_MTU_DISCOVER, unix.IP_RECVERR, unix.IP_RECVTOS, unix.IP_RECVTTL, unix.IP_PKTINFO, unix.IP_MINTTL,
		unix.IP_BIND_ADDRESS_NO_PORT, unix.IP_LOCAL_PORT_RANGE, unix.IP_MULTICAST_TTL, unix.IP_MULTICAST_LOOP,
	}
	harmlessIPv6 = []uint32{
		unix.IPV6_V6ONLY, unix.IPV6_UNICAST_HOPS, unix.IPV6_TCLASS, unix.IPV6_RECVERR, unix.IPV6_MTU_DISCOVER, unix.IPV6_MTU, unix.IPV6_RECVPKTINFO,
		unix.IPV6_RECVTCLASS, unix.IPV6_RECVHOPLIMIT, unix.IPV6_DONTFRAG, unix.IPV6_ADDR_PREFERENCES, unix.IPV6_AUTOFLOWLABEL, unix.IPV6_MULTICAST_HOPS, unix.IPV6_MULTICAST_LOOP,
	}
)

// namesSteps make sockets in the child's network, one for each name server, and return their numbers in the child.
func (b *builder) namesSteps(l *life) []int {
	const made = registerCount - 4
	places := b.asking[3:]
	for i, place := range places {
		family := unix.AF_INET6
		if b.servers[i].Addr().Is4() {
			family = unix.AF_INET
		}
		l.add("socket for names", unix.SYS_SOCKET, uintptr(family), unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK).kept(made)
		l.add("socket for names", unix.SYS_DUP3, 0, uintptr(place), unix.O_CLOEXEC).with(made, 0)
	}
	return places
}

// listen takes the listener before the command runs, and has everything ready that it may ask for.
func (b *builder) listen() error {
	if b.profile.Network != Hosts {
		return nil
	}
	for _, fd := range b.asking[1:] { // as long as we hold them, a child that died would never be seen
		b.release(fd)
	}
	fds, err := b.handedOver(0)
	if err != nil {
		return err
	}
	last := len(fds) - 1
	b.listener = fds[last]
	names := b.profile.Names
	if names == nil {
		names = network.System()
	}
	b.broker = newBroker(network.NewGate(b.profile.Reach, names), b.servers)
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(b.listener), notifySetFlags, notifySyncWakeUp) // Linux 6.6: answers come sooner
	b.broker.answerInside(fds[:last])
	return nil
}

// addAddress puts an address on the loopback of the network that socket fd, of the same family, is in. The launcher may, because it owns the user namespace around that network.
func addAddress(fd int, addr netip.Addr, at int) error {
	if addr.IsLoopback() {
		return nil
	}
	if addr.Is4() {
		request := [40]byte{'l', 'o', ':', byte('a' + at)} // struct ifreq: an alias, because an interface has one address by this call
		binary.NativeEndian.PutUint16(request[16:], unix.AF_INET)
		a := addr.As4()
		copy(request[20:], a[:])
		return ioctl(fd, unix.SIOCSIFADDR, unsafe.Pointer(&request))
	}
	request := struct {
		addr   [16]byte
		prefix uint32
		index  int32
	}{addr.As16(), 128, 1} // the loopback is the first interface of every network
	return ioctl(fd, unix.SIOCSIFADDR, unsafe.Pointer(&request))
}

// answerInside answers the questions for names that come to the servers' addresses in the child's network, each by a socket from there.
func (k *broker) answerInside(fds []int) {
	for i, fd := range fds {
		server := k.servers[i]
		if addAddress(fd, server.Addr(), i) != nil || bindWhenThere(fd, network.Sockaddr(server)) != nil {
			unix.Close(fd) // the others may do
			continue
		}
		k.answerOn(os.NewFile(uintptr(fd), "names"))
	}
}

// bindWhenThere binds to an address that was just added. One of IPv6 counts a moment later: the kernel looks for its double first, on a loopback too, in a thread of its
// own (addrconf_dad_work). Until then nobody can be bound there, and nobody finds the way.
func bindWhenThere(fd int, at unix.Sockaddr) error {
	err := unix.Bind(fd, at)
	for wait := 50 * time.Microsecond; err == unix.EADDRNOTAVAIL && wait < 100*time.Millisecond; wait *= 2 {
		time.Sleep(wait)
		err = unix.Bind(fd, at)
	}
	return err
}
