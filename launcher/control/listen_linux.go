package control

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/screen"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// The socket of a session is run/ID.sock in the state directory, which no sandbox shows; inside a
// sandbox no socket of that kind can be made either. A process that gets there all the same is
// checked by what the kernel reports about it (approval.MayDecide), and nothing that it sends
// counts for that.

// SocketSuffix ends the names of sockets.
const SocketSuffix = ".sock"

// socketName is how the socket is bound and found: through a descriptor of the folder, because the
// kernel takes 107 bytes for a name and a state directory may be further away (unix(7)).
func socketName(dir *os.File, id string) string {
	return "/proc/self/fd/" + strconv.Itoa(int(dir.Fd())) + "/" + id + SocketSuffix
}

// Connect connects to the socket of a session in the folder of sockets.
func Connect(folder, id string) (*os.File, error) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	err = unix.Connect(fd, &unix.SockaddrUnix{Name: socketName(dir, id)})
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "session "+id), nil
}

// listen opens the socket.
func (d *Server) listen() error {
	dir, err := os.Open(d.Folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("make the session's socket: %w", err)
	}
	err = unix.Bind(fd, &unix.SockaddrUnix{Name: socketName(dir, d.ID)})
	if err == nil {
		err = os.Chmod(filepath.Join(dir.Name(), d.ID+SocketSuffix), 0o600)
	}
	if err == nil {
		err = unix.Listen(fd, maxClients)
	}
	if err != nil {
		unix.Close(fd)
		return fmt.Errorf("open the session's socket: %w", err)
	}
	d.listener = os.NewFile(uintptr(fd), "session "+d.ID)
	d.working.Go(d.accept)
	return nil
}

// unlisten takes the socket away, which ends the accept.
func (d *Server) unlisten() {
	if d.listener == nil {
		return
	}
	_ = d.listener.Close()
	_ = os.Remove(filepath.Join(d.Folder, d.ID+SocketSuffix))
}

// acceptPause is how long a session that could not take a connection waits before it tries the
// next.
const acceptPause = 100 * time.Millisecond

func (d *Server) accept() {
	listener, err := d.listener.SyscallConn()
	if err != nil {
		return
	}
	away := map[string]bool{} // whom it turned away, and why: each is on record once
	for {
		fd, failed := -1, error(nil)
		err := listener.Read(func(on uintptr) bool {
			fd, _, failed = unix.Accept4(int(on), unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
			return failed != unix.EAGAIN
		})
		switch {
		case err != nil:
			return // closed
		case failed == unix.EINTR || failed == unix.ECONNABORTED:
			continue
		case failed != nil:
			time.Sleep(acceptPause) // no descriptor is left for now
			continue
		}
		conn := os.NewFile(uintptr(fd), "attached")
		p := d.peerOf(fd)
		d.mu.Lock()
		full := len(d.clients) >= maxClients || d.over
		d.mu.Unlock()
		why := p.mayWatch()
		if key := p.who() + fmt.Sprint(why); why != nil && !away[key] && len(away) < maxClients {
			away[key] = true
			d.turnAway(p, why)
		}
		if full || why != nil {
			conn.Close()
			continue
		}
		channel, why := p.caller.May(approval.TakeOver, approval.ChannelAttach)
		s := d.newClient(conn, p.who(), why == nil)
		s.why, s.via, s.uid, s.tty = why, p.caller.Via(), p.caller.Peer.UID, p.tty
		s.via.Channel = channel
		s.start()
	}
}

// turnAway records that a process was not even let in to watch.
func (d *Server) turnAway(p peer, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.over {
		d.control(kindBarred, audit.Durable, p.who()+" was refused: attach",
			Body{"by": p.who(), "order": "attach", "reason": why.Error()})
	}
}

// A peer is the process at the other end of a connection, as it was when it connected.
type peer struct {
	caller approval.Caller
	tty    string
}

// who is the process's name for people.
func (p peer) who() string { return fmt.Sprintf("uid %d at %s", p.caller.Peer.UID, p.tty) }

// mayWatch reports why the process may not even watch.
func (p peer) mayWatch() error { return approval.MayDecide(p.caller.Peer, p.caller.Rules) }

// peerOf asks the kernel.
func (d *Server) peerOf(fd int) peer {
	p := peer{tty: "?"}
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || cred.Pid <= 0 {
		return p
	}
	pidfd, err := unix.PidfdOpen(int(cred.Pid), 0)
	if err != nil {
		return p
	}
	defer unix.Close(pidfd)
	p.caller = d.Host.Caller(strconv.Itoa(int(cred.Pid)))
	p.caller.Peer.UID = int(cred.Uid)
	if device := p.caller.Terminal.Device; device != "" {
		p.tty = device
	}
	if unix.PidfdSendSignal(pidfd, 0, nil, 0) != nil {
		// another process by now: what was read is about that one
		p.caller.Peer.Known = false
	}
	return p
}

// Serve connects the program that started the session and opens the socket for the others. Nothing
// has run yet.
func (d *Server) Serve() error {
	cols, rows := d.Terminal.Size()
	d.full = screen.New(cols, rows)
	d.full.Told = d.told
	d.open = d.full
	if err := d.listen(); err != nil {
		return err
	}
	d.working.Go(d.keys)
	if front := d.Front; front != nil {
		s := d.newClient(front, d.Author, false)
		s.starter = true
		d.mu.Lock()
		d.lease.Start(s.n)
		d.epoch.Store(d.lease.Epoch())
		d.mu.Unlock()
		s.start()
	}
	return nil
}

// End tells all clients that the session is over, and disconnects them.
func (d *Server) End(status, signal int) {
	d.mu.Lock()
	clients := make([]*client, 0, len(d.clients))
	for _, s := range d.clients {
		s.finish(wire.JSON(wire.End, d.lease.Epoch(), wire.Ending{Status: status, Signal: signal}))
		clients = append(clients, s)
	}
	d.mu.Unlock()
	d.unlisten()
	limit := time.Now().Add(farewell)
	for _, s := range clients {
		_ = s.conn.SetDeadline(limit) // one that does not read holds up nothing
		<-s.written
		s.conn.Close()
	}
	d.working.Wait()
}

// farewell is how long clients may take to read the last of a session.
const farewell = 2 * time.Second
