//go:build amd64 || arm64

package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// table is all that the child's filter says. The first rule that matches a call decides.
func (b *builder) table() []seccomp.Rule {
	return slices.Concat(b.once.rules(), conditions(b.sockets()), b.handing(),
		b.mediated().Rules(b.asks()), refusals(b.profile.Debug))
}

// sockets says how the child gets sockets. With Hosts the broker makes those that may lead
// somewhere; at Strong the child has a private network with nothing but a loopback, so it may have
// a UDP socket, which leads nowhere else.
func (b *builder) sockets() socketVerdicts {
	switch {
	case b.profile.Network == Full, b.ownLoopback():
		v := noSockets
		v.stream, v.datagram, v.routes = seccomp.Allow, seccomp.Allow, seccomp.Allow
		return v
	case b.profile.Network == Hosts && b.level == Strong:
		return socketVerdicts{seccomp.Ask, seccomp.Allow, seccomp.Allow, seccomp.Allow}
	case b.profile.Network == Hosts:
		return socketVerdicts{seccomp.Ask, seccomp.Ask, seccomp.Allow, seccomp.Allow}
	}
	return noSockets
}

// handing lets the message pass by which the child hands the listener over, and its own exec: the
// broker does not answer before that.
func (b *builder) handing() []seccomp.Rule {
	if b.profile.Network != Hosts {
		return nil
	}
	list := []seccomp.Rule{seccomp.On(unix.SYS_SENDMSG, seccomp.Allow, b.giving.tests()...)}
	if b.profile.Reach.ByProgram() {
		list = append(list, seccomp.On(unix.SYS_EXECVE, seccomp.Allow, b.starting.tests()...),
			seccomp.On(unix.SYS_EXECVEAT, seccomp.Allow, b.starting.tests()...))
	}
	return list
}

// install puts the filter on. Where it asks, the descriptor to answer by goes to the launcher
// through a socket: the child's memory is the launcher's until it executes, but its descriptors are
// its own.
func (b *builder) install(l *steps) {
	a := &b.setup.arena
	prog := hold(a, seccomp.Compile(newestCall, b.table()).Fprog())
	if !b.asks() {
		l.add("seccomp", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, prog)
		return
	}
	sending, place := b.asking[1], b.asking[2]
	rights := unix.UnixRights(append(b.lookupSockets(l), place)...)
	const listener = registerCount - 3
	const what = "hand over the listener"
	set := l.add(listenStep, unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		seccomp.ListenFlags(), prog)
	set.kept(listener)
	l.add(what, unix.SYS_DUP3, 0, uintptr(place), unix.O_CLOEXEC).with(listener, 0)
	hold(a, &rights[0])
	// one byte of anything: without data nothing is sent
	part := &unix.Iovec{Base: &rights[0], Len: 1}
	message := &unix.Msghdr{Iov: part, Iovlen: 1, Control: &rights[0],
		Controllen: uint64(len(rights))}
	hold(a, part)
	send := l.add(what, unix.SYS_SENDMSG, uintptr(sending), hold(a, message), unix.MSG_NOSIGNAL)
	b.giving.mark(send.must(1))
	l.add(what, unix.SYS_CLOSE, uintptr(place))
}

// lookupSockets make sockets in the child's network, one for each name server, and return their
// numbers in the child.
func (b *builder) lookupSockets(l *steps) []int {
	const made = registerCount - 4
	const what = "socket for names"
	places := b.asking[3:]
	for i, place := range places {
		family := unix.AF_INET6
		if b.mediated().Network.Servers[i].Addr().Is4() {
			family = unix.AF_INET
		}
		kind := uintptr(unix.SOCK_DGRAM | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK)
		l.add(what, unix.SYS_SOCKET, uintptr(family), kind).kept(made)
		l.add(what, unix.SYS_DUP3, 0, uintptr(place), unix.O_CLOEXEC).with(made, 0)
	}
	return places
}
