//go:build amd64 || arm64

package broker

import "golang.org/x/sys/unix"

// Where the broker answers for sockets, a run may have Unix sockets among its own processes: a
// test's database, tmux, Python's managers. Those of other programs (docker, ssh-agent, the session
// bus) are asked about, and Landlock sees them only from version 9.
//
// A name is bound by the kernel alone, where the run may write. When the run listens, the broker
// notes which file the socket has, and holds it open. When the run connects, the broker looks up
// the name and, if the file is one of those, connects to the very file that it holds. Names are
// only a way to find it: whatever is swapped, nothing else can be reached. The server sees the
// launcher as its peer, which is the same user.
//
// Only streams and sequenced packets: a datagram names its receiver in each message, where the
// broker cannot answer.

// connectUnix connects a Unix socket to another one of the run's.
func (n *sockets) connectUnix(c *call, s *socket) {
	name := s.bytes[2:]
	switch {
	case len(name) == 0:
		s.finish(c, unix.EINVAL)
	case name[0] != 0:
		n.connectFile(c, s, cString(name), resolveCached)
	case !s.ownNetwork(c): // an abstract name is the network's, and this one is the whole machine's
		s.finish(c, unix.EACCES)
	default:
		n.connectTo(c, s, &unix.SockaddrUnix{Name: "@" + string(name[1:])})
	}
}

// connectFile connects to the socket at a path, as the caller would find it.
func (n *sockets) connectFile(c *call, s *socket, path string, cached uint64) {
	name, err := n.unix.files.socketName(c, path, cached)
	if err == errSlow {
		n.work.beside(func() { n.connectFile(c, s, path, 0) })
		return
	}
	var st unix.Stat_t
	fd, err := openPath(c, name)
	if err == nil {
		if err = unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFSOCK {
			err = unix.ECONNREFUSED // or something is mounted over it
		}
		if err != nil {
			unix.Close(fd)
		}
	}
	if err != nil {
		n.work.beside(func() { s.finish(c, n.reachOutside(c, s, path, err)) })
		return
	}
	if own := n.unix.find(&st); own >= 0 {
		unix.Close(fd)
		n.connectTo(c, s, &unix.SockaddrUnix{Name: selfFile(own)}, own)
		return
	}
	n.work.beside(func() {
		err := n.reachDaemon(c, s, fd, &st, unix.EACCES)
		unix.Close(fd)
		s.finish(c, err)
	})
}

// connectTo connects, which may wait for room in the server's queue, and closes the descriptors.
func (n *sockets) connectTo(c *call, s *socket, to unix.Sockaddr, fds ...int) {
	work := func() {
		s.finish(c, unix.Connect(s.fd, to))
		for _, fd := range fds {
			unix.Close(fd)
		}
	}
	if s.blocks() {
		n.work.beside(work)
		return
	}
	work()
}

// listenUnix listens on a Unix socket.
func (n *sockets) listenUnix(c *call, s *socket) {
	name, err := unixName(s.fd)
	switch {
	case err != nil:
	case len(name) > 0 && name[0] == 0:
		if !s.ownNetwork(c) {
			err = unix.EACCES
		}
	case len(name) > 0:
		if fd := fileOf(c, s.fd, cString(name)); fd >= 0 {
			n.unix.add(fd)
		}
	}
	if err == nil {
		err = unix.Listen(s.fd, int(int32(c.Args[1])))
	}
	s.finish(c, err)
}
