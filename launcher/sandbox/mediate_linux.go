//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/seccomp"
)

// What neither Landlock nor a filter can decide, the kernel hands to the broker, call by call. Here
// is how the broker comes to its listener; what it answers, and how, package broker says.

// mediated is what the broker may grant to the run. It is first asked for when the profile is
// final.
func (b *builder) mediated() *broker.Profile {
	if b.grants != nil {
		return b.grants
	}
	p := &broker.Profile{Shared: b.level == Base, ReadOnly: b.kept, Hide: b.hidden,
		Request: b.command.Request, Changes: b.profile.Changes}
	for _, w := range b.profile.Write {
		p.Write = append(p.Write, broker.Tree{Name: w.Name, File: w.File})
	}
	if b.profile.Network == Hosts {
		p.Network = &broker.Network{
			Reach: b.profile.Reach, Names: b.profile.Names, Servers: b.profile.Servers,
		}
	}
	p.Guard, p.Terminals = b.guarded(), b.level == Base && b.profile.Terminals
	if b.profile.View != nil {
		v := *b.profile.View
		v.Hide = b.hidden
		v.Reads = b.level == Base && slices.ContainsFunc(b.hidden,
			func(name string) bool { return inside(v.Dirs, name) })
		if b.level == Strong && exists(insideName) {
			v.Inside = insideName
		}
		p.View = &v
	}
	if p.View != nil { // so that what the run changes is seen
		p.Scripts = slices.DeleteFunc(slices.Clone(b.command.Scripts), b.hides)
	}
	if p.View != nil || p.Changes != nil || p.Guard != nil && len(p.Guard.Trees) > 0 {
		p.InPlace = b.inPlace(p.View)
	}
	b.grants = p
	return p
}

// hides reports whether a script is hidden from the run.
func (b *builder) hides(s broker.Script) bool {
	return slices.ContainsFunc(s.Names, func(name string) bool { return inside(b.hidden, name) })
}

// inPlace is what the run may open for writing beside what is in its trees: what the rules of
// Landlock grant.
func (b *builder) inPlace(v *broker.View) *broker.InPlace {
	i := &broker.InPlace{Private: b.privates()}
	if b.level == Base {
		i.Private = nil
	}
	if v != nil && v.Inside != "" {
		i.Private = append(i.Private, v.Inside)
	}
	for _, d := range b.profile.Devices {
		i.Devices = append(i.Devices, d.Name)
	}
	if b.command.HasTTY {
		i.Terminal = b.command.Files[b.command.TTY]
	}
	i.OwnTerminals = b.level == Strong && b.profile.Terminals
	return i
}

// guarded is what the broker has to see to, nil for nothing.
func (b *builder) guarded() *broker.Guard {
	if b.level != Base || b.silent || !seccomp.CanListen() {
		return nil
	}
	g := &broker.Guard{Ruled: map[broker.Identity]bool{}}
	for _, w := range b.profile.Write {
		hide, keep := below(b.hidden, w.Name), below(b.kept, w.Name)
		if len(hide)+len(keep) == 0 {
			continue
		}
		g.Trees = append(g.Trees, w.Name)
		g.Hide, g.Keep = append(g.Hide, hide...), append(g.Keep, keep...)
	}
	g.Lead = b.leading()
	for _, name := range b.hidden {
		if !contains(g.Hide, name) {
			g.Far = append(g.Far, name)
		}
	}
	if len(g.Trees)+len(g.Far) == 0 {
		return nil
	}
	return g
}

// leading returns the folders on the way to what is hidden. A right to list them would be one to
// list what is hidden too, so the broker opens them.
func (b *builder) leading() (folders []string) {
	for _, r := range b.profile.Read {
		hidden := below(b.hidden, r.Name)
		if len(hidden) > 0 && within("/dev", r.Name) {
			folders = append(folders, "/dev")
		}
		for _, name := range hidden {
			for name != r.Name {
				name = filepath.Dir(name)
				if !inside(b.hidden, name) && !contains(folders, name) {
					folders = append(folders, name)
				}
			}
		}
	}
	return folders
}

// asks reports whether some calls are handed over.
func (b *builder) asks() bool { return !b.silent && b.mediated().Mediated() && seccomp.CanListen() }

// socket makes the socket that the listener comes through: the launcher's end, the child's, and
// descriptors whose numbers are used in the child for what it sends.
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
	if n := b.mediated().Network; n != nil {
		if n.Servers == nil {
			n.Servers = network.System().Servers
		}
		if b.level == Strong {
			numbers += len(n.Servers)
		}
	}
	for _, fd := range pair {
		var bad error
		fd, bad = b.own(fd)
		b.asking, err = append(b.asking, fd), errors.Join(err, bad)
	}
	// only numbers: other things take them in the child
	for ; numbers > 0 && err == nil; numbers-- {
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

// listen takes the listener before the command runs, and has everything ready that it may ask for.
// Without a network there is nothing to make ready, and the listener is taken when the command
// runs.
func (b *builder) listen() error {
	if b.profile.Network != Hosts {
		return nil
	}
	// as long as we hold them, a child that died would never be seen
	for _, fd := range b.asking[1:] {
		b.release(fd)
	}
	fds, err := b.handedOver(0)
	if err != nil {
		return err
	}
	if n := b.mediated().Network; n.Names == nil {
		n.Names = network.System()
	}
	b.open(fds)
	return nil
}

// open opens the broker with what the child has sent: the sockets for names, and last the listener.
func (b *builder) open(fds []int) {
	last := len(fds) - 1
	p := b.process
	member := func(pid int) bool { return p.member(pid) }
	p.broker = broker.Open(b.mediated(), broker.Handed{Listener: fds[last], Lookups: fds[:last],
		First: func() int { return p.pid }}, member)
}

// answers starts to answer, when the command runs.
func (b *builder) answers() error {
	if !b.asks() {
		return nil
	}
	if b.process.broker == nil {
		fds, err := b.handedOver(unix.MSG_DONTWAIT)
		if err != nil {
			return err
		}
		b.open(fds)
	}
	go b.process.broker.Serve()
	return nil
}

// handedOver receives the descriptors that the child has sent.
func (b *builder) handedOver(flags int) ([]int, error) {
	control := make([]byte, unix.CmsgSpace(len(b.asking)*4))
	flags |= unix.MSG_CMSG_CLOEXEC
	_, n, _, _, err := unix.Recvmsg(b.asking[0], make([]byte, 1), control, flags)
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

// ownLoopback reports whether the run has a network to itself: this machine's
// servers were to be reached, and the broker cannot answer for that.
func (b *builder) ownLoopback() bool { return b.unanswered != nil && b.level == Strong }
