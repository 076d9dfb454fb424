//go:build amd64 || arm64

package broker

import (
	"os"

	"golang.org/x/sys/unix"
)

// Where the broker answers for sockets, a run may have Unix sockets among its own processes: a
// test's database, tmux, Python's managers. Those of other programs (docker, ssh-agent, the session
// bus) are out of its reach, and Landlock sees them only from version 9.
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
		n.connectFile(c, s, cString(name))
	case !s.ownNetwork(c): // an abstract name is the network's, and this one is the whole machine's
		s.finish(c, unix.EACCES)
	default:
		n.connectTo(c, s, &unix.SockaddrUnix{Name: "@" + string(name[1:])})
	}
}

// connectFile connects to the socket at a path, as the caller would find it.
func (n *sockets) connectFile(c *call, s *socket, path string) {
	fd, err := openPath(c, n.unix.files.socketName(c, path))
	if err != nil {
		s.finish(c, err)
		return
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	name, _ := os.Readlink(selfFile(fd))
	unix.Close(fd)
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		err = unix.ECONNREFUSED
	}
	if err != nil {
		s.finish(c, err)
		return
	}
	own := n.unix.find(&st)
	if own < 0 {
		// What a server left behind that is gone says so to its next start.
		if err = unix.EACCES; n.trees.writable(name) && !hasListener(&st) {
			err = unix.ECONNREFUSED
		}
		s.finish(c, err)
		return
	}
	n.connectTo(c, s, &unix.SockaddrUnix{Name: selfFile(own)}, own)
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
