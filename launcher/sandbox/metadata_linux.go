//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/seccomp"
)

// Landlock has no right for the mode, owner, times and attributes of a file, and a filter sees no paths. At Strong a read-only mount refuses to
// change them. At Base the filter refuses all such calls when nothing is writable, and otherwise hands them to the launcher, which looks at the
// object and changes it itself. So what was looked at is what is changed, whatever the child does to the name meanwhile.

// asks reports whether some calls are asked for one by one: changes of metadata, the network, or the door.
func (b *builder) asks() bool {
	return !b.silent && (b.level == Base && len(b.profile.Write) > 0 || b.profile.Network == Hosts || b.command.Door != nil) && seccomp.CanListen()
}

// metadataRules are the rules for the calls in metadataCalls; those that refuse set-uid bits come before them.
func (b *builder) metadataRules() []seccomp.Rule {
	v := seccomp.Errno(unix.EPERM)
	switch {
	case b.level != Base || b.profile.Write != nil && !b.asks():
		return nil
	case b.asks():
		v = seccomp.Ask
	}
	list := make([]seccomp.Rule, 0, len(metadataCalls))
	for i := range metadataCalls {
		list = append(list, seccomp.On(metadataCalls[i].nr, v))
	}
	return list
}

// table is all that the child's filter says. The first rule that matches decides.
func (b *builder) table() []seccomp.Rule {
	return slices.Concat(b.once.rules(), b.doorRules(), b.networkRules(), b.commonRules(), b.sendRules(), b.metadataRules(), b.schedulingRules())
}

// install puts the filter on. Where it asks, the descriptor to answer by goes to the launcher through a socket: the child's memory is the launcher's until it executes,
// but its descriptors are its own.
func (b *builder) install(l *life) {
	a := &b.family.arena
	prog := hold(a, seccomp.Compile(b.table()).Fprog())
	if !b.asks() {
		l.add("seccomp", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, prog)
		return
	}
	sending, place := b.asking[1], b.asking[2]
	rights := unix.UnixRights(append(b.namesSteps(l), place)...)
	const listener = registerCount - 3
	l.add(listenStep, unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, seccomp.ListenFlags(), prog).kept(listener)
	l.add("hand over the listener", unix.SYS_DUP3, 0, uintptr(place), unix.O_CLOEXEC).with(listener, 0)
	hold(a, &rights[0])
	part := &unix.Iovec{Base: &rights[0], Len: 1} // one byte of anything: without data nothing is sent
	message := &unix.Msghdr{Iov: part, Iovlen: 1, Control: &rights[0], Controllen: uint64(len(rights))}
	hold(a, part)
	b.giving.mark(l.add("hand over the listener", unix.SYS_SENDMSG, uintptr(sending), hold(a, message), unix.MSG_NOSIGNAL).must(1))
	l.add("hand over the listener", unix.SYS_CLOSE, uintptr(place))
}

// socket makes the socket that the listener comes through: the launcher's end, the child's, and a descriptor whose number the listener takes in the child.
func (b *builder) socket() error {
	switch {
	case b.asks():
	case b.profile.Network == Hosts: // nothing of it works unanswered
		return &SetupError{listenStep, unix.ENOSYS}
	default:
		return nil
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return &SetupError{"socketpair", err}
	}
	numbers := 1
	if b.profile.Network == Hosts {
		if b.servers = b.profile.Servers; b.servers == nil {
			b.servers = network.System().Servers
		}
		if b.level == Strong {
			numbers += len(b.servers)
		}
	}
	for _, fd := range pair {
		var bad error
		fd, bad = b.own(fd)
		b.asking, err = append(b.asking, fd), errors.Join(err, bad)
	}
	for ; numbers > 0 && err == nil; numbers-- { // only numbers: other things take them in the child
		fd, bad := unix.FcntlInt(uintptr(b.asking[1]), unix.F_DUPFD_CLOEXEC, 0)
		if bad != nil {
			return &SetupError{"socketpair", bad}
		}
		fd, err = b.own(fd)
		b.asking = append(b.asking, fd)
	}
	return err
}

const listenStep = "seccomp with a listener"

// answers takes what the child has sent, and starts to answer.
func (b *builder) answers(p *Process) error {
	if !b.asks() {
		return nil
	}
	if b.broker == nil {
		fds, err := b.handedOver(unix.MSG_DONTWAIT)
		if err != nil {
			return err
		}
		b.listener = fds[len(fds)-1]
	}
	s := &supervisor{listener: b.listener, kept: b.kept, uid: uint32(unix.Geteuid()), broker: b.broker, child: p.pid, guard: p.guard}
	for _, w := range b.profile.Write {
		s.pin(w)
	}
	s.holdDoor(b.command.Door)
	if p.broker = b.broker; p.broker != nil {
		p.broker.writable = s.writable
	}
	go s.serve()
	return nil
}

// handedOver receives the descriptors that the child has sent: the sockets for names, and last the listener.
func (b *builder) handedOver(flags int) ([]int, error) {
	control := make([]byte, unix.CmsgSpace(len(b.asking)*4))
	_, n, _, _, err := unix.Recvmsg(b.asking[0], make([]byte, 1), control, flags|unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, &SetupError{"seccomp listener", err}
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) != 1 {
		return nil, &SetupError{"seccomp listener", errors.New("no descriptor came")}
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return nil, &SetupError{"seccomp listener", errors.New("no descriptor came")}
	}
	return fds, nil
}
