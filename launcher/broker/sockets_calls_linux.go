//go:build amd64 || arm64

package broker

import (
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/seccomp"
)

// socketCalls are the calls that sockets answer, and why each is asked about.
var socketCalls = []struct {
	nr     uint32
	answer func(*sockets, *call)
	why    string
}{
	{unix.SYS_SOCKET, (*sockets).make, "a TCP socket is one of the machine's network"},
	{unix.SYS_CONNECT, (*sockets).connect, "a filter sees no address, and Landlock no host"},
	{unix.SYS_BIND, (*sockets).bind, "all addresses become the loopback's"},
	{unix.SYS_LISTEN, (*sockets).listen, "without an address, the kernel takes all of them"},
	{unix.SYS_SENDTO, (*sockets).send, "it may name a receiver, for the record"},
	{unix.SYS_SENDMSG, (*sockets).send, "as sendto"},
	{unix.SYS_SENDMMSG, (*sockets).send, "as sendto"},
	{unix.SYS_RECVFROM, (*sockets).receive, "a stand-in for a UDP socket has no sender's address"},
	{unix.SYS_RECVMSG, (*sockets).receive, "as recvfrom"},
	{unix.SYS_RECVMMSG, (*sockets).receive, "as recvfrom"},
	{unix.SYS_GETSOCKNAME, (*sockets).name, "a stand-in has no address"},
	{unix.SYS_GETPEERNAME, (*sockets).name, "as getsockname"},
	{unix.SYS_SETSOCKOPT, (*sockets).option, "a stand-in has no options of IP"},
}

func socketNumbers(yield func(uint32) bool) {
	for i := range socketCalls {
		yield(socketCalls[i].nr)
	}
}

func openSockets(p *Profile, r *run) customer {
	if p.Network == nil {
		return nil
	}
	gate := network.NewGate(p.Network.Reach, p.Network.Names)
	n := &sockets{gate: gate, log: r.log, work: newWorkers(), trees: r.trees, least: leastPort(),
		first: r.first, starts: r.starts, starters: p.Network.Reach.Starters}
	n.names = &nameService{
		gate: gate, log: r.log, work: n.work, servers: p.Network.Servers,
		talks: make(chan struct{}, maxTalks), streams: map[bool]*nameListener{},
	}
	n.datagrams = &datagrams{names: n.names}
	n.unix.files, n.unix.changes = r.files, r.changes
	n.names.answerInside(r.lookups)
	return n
}

func (n *sockets) answer(c *call) {
	for i := range socketCalls {
		if int32(socketCalls[i].nr) == c.Nr {
			socketCalls[i].answer(n, c)
			return
		}
	}
}

// close ends what is under way. Calls that still wait are answered by the end of the listener.
func (n *sockets) close() {
	n.work.cancel()
	n.names.hangUp()
	n.datagrams.hangUp()
	n.work.wait()
	n.names.close()
	n.unix.close()
}

// make gives the caller a TCP socket of this machine's network, or a stand-in for one of UDP.
func (n *sockets) make(c *call) {
	family, kind, protocol := int(int32(c.Args[0])), int(int32(c.Args[1])), int(int32(c.Args[2]))
	var fd int
	var err error
	if kind&sockType == unix.SOCK_DGRAM {
		fd, err = n.datagrams.open(family, kind)
	} else {
		fd, err = unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
	}
	if err != nil {
		c.reply(err)
		return
	}
	c.give(fd, kind&unix.SOCK_CLOEXEC)
}

// socketRules are what the broker is asked about with a network, and what the sockets that it hands
// out may not do. The commonest ways to send and to receive, without an address, are not asked
// about; whether a message has one, a filter does not see.
func socketRules(p *Profile, _ bool) []seccomp.Rule {
	if p.Network == nil {
		return nil
	}
	list := []seccomp.Rule{
		seccomp.On(unix.SYS_CONNECT, seccomp.Ask),
		seccomp.On(unix.SYS_BIND, seccomp.Ask),
		seccomp.On(unix.SYS_LISTEN, seccomp.Ask),

		seccomp.On(unix.SYS_SENDTO, seccomp.Allow, seccomp.Arg(4, 0), seccomp.High(4, 0)),
		seccomp.On(unix.SYS_SENDTO, seccomp.Ask),
		seccomp.On(unix.SYS_SENDMSG, seccomp.Ask),
		seccomp.On(unix.SYS_SENDMMSG, seccomp.Ask),
	}
	list = append(list, optionRules(p)...)
	if p.Shared { // datagram sockets are stand-ins
		list = append(list,
			seccomp.On(unix.SYS_RECVFROM, seccomp.Allow, seccomp.Arg(4, 0), seccomp.High(4, 0)),
			seccomp.On(unix.SYS_RECVFROM, seccomp.Ask),
			seccomp.On(unix.SYS_RECVMSG, seccomp.Ask),
			seccomp.On(unix.SYS_RECVMMSG, seccomp.Ask),
			seccomp.On(unix.SYS_GETSOCKNAME, seccomp.Ask),
			seccomp.On(unix.SYS_GETPEERNAME, seccomp.Ask))
	}
	return list
}

// optionRules refuse the options by which a socket goes elsewhere than it says. Stand-ins for UDP
// sockets take the harmless ones of IP too, so there the broker is asked.
func optionRules(p *Profile) []seccomp.Rule {
	const call = unix.SYS_SETSOCKOPT
	refuse, harmless := seccomp.Errno(unix.EPERM), seccomp.Allow
	if p.Shared {
		harmless = seccomp.Ask
	}
	level := seccomp.Arg(1, unix.SOL_SOCKET)
	list := []seccomp.Rule{
		seccomp.On(call, refuse, level, seccomp.Arg(2, unix.SO_BINDTODEVICE)),
		seccomp.On(call, refuse, level, seccomp.Arg(2, unix.SO_BINDTOIFINDEX)),
	}
	for _, ip := range []struct {
		level   uint32
		options []uint32
	}{{unix.SOL_IP, harmlessIP}, {unix.SOL_IPV6, harmlessIPv6}} {
		level := seccomp.Arg(1, ip.level)
		for _, option := range ip.options {
			list = append(list, seccomp.On(call, harmless, level, seccomp.Arg(2, option)))
		}
		list = append(list, seccomp.On(call, refuse, level))
	}
	return list
}

// The options of IP that cannot change where a packet goes. A source route (IP_OPTIONS, IPV6_RTHDR)
// sends the packets of an allowed connection to any host on the way, which may answer in the
// other's place; both can be set without privilege.
var (
	harmlessIP = []uint32{
		unix.IP_TOS, unix.IP_TTL, unix.IP_MTU_DISCOVER, unix.IP_RECVERR, unix.IP_RECVTOS,
		unix.IP_RECVTTL, unix.IP_PKTINFO, unix.IP_MINTTL, unix.IP_BIND_ADDRESS_NO_PORT,
		unix.IP_LOCAL_PORT_RANGE, unix.IP_MULTICAST_TTL, unix.IP_MULTICAST_LOOP,
	}
	harmlessIPv6 = []uint32{
		unix.IPV6_V6ONLY, unix.IPV6_UNICAST_HOPS, unix.IPV6_TCLASS, unix.IPV6_RECVERR,
		unix.IPV6_MTU_DISCOVER, unix.IPV6_MTU, unix.IPV6_RECVPKTINFO, unix.IPV6_RECVTCLASS,
		unix.IPV6_RECVHOPLIMIT, unix.IPV6_DONTFRAG, unix.IPV6_ADDR_PREFERENCES,
		unix.IPV6_AUTOFLOWLABEL, unix.IPV6_MULTICAST_HOPS, unix.IPV6_MULTICAST_LOOP,
	}
)
