//go:build amd64 || arm64

package broker

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// reachOutside connects to a socket that is not among the run's files, as those in /run are not
// with mounts of its own. It returns no where that has no socket to ask about.
func (n *sockets) reachOutside(c *call, s *socket, path string, no error) error {
	if !filepath.IsAbs(path) || !n.gate.Asks() {
		return no
	}
	// a magic link would be the launcher's
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, how)
	if err != nil {
		return no
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return no
	}
	return n.reachDaemon(c, s, fd, &st, no)
}

// reachDaemon asks about the Unix socket of a program outside of the run, and connects to the very
// file that the question was about: no other socket is ever bound to it. The program sees the
// launcher as its peer. fd is a handle of the file. It returns no where no one is asked.
func (n *sockets) reachDaemon(c *call, s *socket, fd int, st *unix.Stat_t, no error) error {
	name, _ := nameOf(fd)
	listeners := listenersAt(st)
	switch {
	case len(listeners) == 0 && n.trees.writable(name):
		// What a server left behind that is gone says so to its next start.
		return unix.ECONNREFUSED
	case len(listeners) != 1:
		return no
	}
	d := network.Daemon{Name: name, Listener: network.Listener{Inode: listeners[0], UID: st.Uid},
		Hidden: n.trees.hides(name)}
	w, why, asks := n.gate.WantsDaemon(d, uint32(os.Getuid()))
	e := Connection{Time: time.Now(), Caller: c.caller(), Kind: "unix", Host: name}
	e.Sent, e.Received = -1, -1
	if !asks {
		if e.Refusal = (Refusal{Refused: true, Why: why}); why != "" {
			n.log.add(e)
		}
		return no
	}
	if w.Program = n.program(c); !c.waits() {
		return unix.ESRCH
	}
	ctx, done := n.while(c)
	defer done()
	if word := n.gate.Ask(ctx, w); !word.OK {
		e.Refusal = Refusal{Refused: true, Why: word.Why, Question: word.Question}
		n.log.add(e)
		if c.signalled() {
			return restart // Ctrl-C, for one
		}
		return unix.EACCES
	}
	err := n.connectDaemon(c, s, &unix.SockaddrUnix{Name: selfFile(fd)})
	if err != nil {
		e.Error = err.Error()
	}
	n.log.add(e)
	return err
}

// connectDaemon connects, and for a caller that blocks waits until the server has room for it.
func (n *sockets) connectDaemon(c *call, s *socket, to unix.Sockaddr) error {
	if !s.blocks() {
		return unix.Connect(s.fd, to)
	}
	w := newWait(n.work.ctx, c, s.fd, unix.SO_SNDTIMEO)
	for {
		err := withoutBlocking(s.fd, func() error { return unix.Connect(s.fd, to) })
		if err != unix.EAGAIN {
			return err
		}
		if stop := w.over(unix.EAGAIN); stop != nil {
			return stop
		}
		time.Sleep(glance / 10)
	}
}
