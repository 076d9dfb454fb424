package launcher

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// The socket of a session is run/ID.sock in the state directory, which no fence shows; inside a
// fence no socket of that kind can be made either. Whoever gets there all the same is asked after
// by what the kernel says of the process (approval.MayDecide), and nothing that it sends counts.

const socketSuffix = ".sock"

// socketName is how the socket is bound and found: through a descriptor of the folder, because the
// kernel takes 107 bytes for a name and a state directory may be further away (unix(7)).
func socketName(dir *os.File, id string) string {
	return "/proc/self/fd/" + strconv.Itoa(int(dir.Fd())) + "/" + id + socketSuffix
}

// listen opens the socket, and removes those of sessions that are gone.
func (d *desk) listen() error {
	dir, err := os.Open(d.r.l.home.Runtime())
	if err != nil {
		return err
	}
	defer dir.Close()
	d.r.l.sweepSockets()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("make the session's socket: %w", err)
	}
	err = unix.Bind(fd, &unix.SockaddrUnix{Name: socketName(dir, d.r.id)})
	if err == nil {
		err = os.Chmod(filepath.Join(dir.Name(), d.r.id+socketSuffix), 0o600)
	}
	if err == nil {
		err = unix.Listen(fd, maxSeats)
	}
	if err != nil {
		unix.Close(fd)
		return fmt.Errorf("open the session's socket: %w", err)
	}
	d.listener = os.NewFile(uintptr(fd), "session "+d.r.id)
	d.working.Go(d.accept)
	return nil
}

// unlisten takes the socket away, which ends the accept.
func (d *desk) unlisten() {
	if d.listener == nil {
		return
	}
	_ = d.listener.Close()
	_ = os.Remove(filepath.Join(d.r.l.home.Runtime(), d.r.id+socketSuffix))
}

// acceptPause is how long a session that could not take a connection waits before it tries the next.
const acceptPause = 100 * time.Millisecond

func (d *desk) accept() {
	listener, err := d.listener.SyscallConn()
	if err != nil {
		return
	}
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
		p := peerOf(fd)
		d.mu.Lock()
		full := len(d.seats) >= maxSeats || d.over
		d.mu.Unlock()
		if full || p.mayWatch() != nil {
			conn.Close()
			continue
		}
		channel, why := p.caller.May(approval.TakeOver, approval.ChannelAttach)
		s := d.newSeat(conn, fmt.Sprintf("uid %d at %s", p.caller.Peer.UID, p.tty), why == nil)
		s.why, s.via, s.uid, s.tty = why, p.caller.Via(), p.caller.Peer.UID, p.tty
		s.via.Channel = channel
		s.sit()
	}
}

// A peer is the process at the other end of a connection, as it was when it connected.
type peer struct {
	caller approval.Caller
	tty    string
}

// mayWatch reports why the process may not even watch.
func (p peer) mayWatch() error { return approval.MayDecide(p.caller.Peer, p.caller.Rules) }

// peerOf asks the kernel.
func peerOf(fd int) peer {
	p := peer{tty: noTerminal}
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || cred.Pid <= 0 {
		return p
	}
	pidfd, err := unix.PidfdOpen(int(cred.Pid), 0)
	if err != nil {
		return p
	}
	defer unix.Close(pidfd)
	p.caller = callerOf(strconv.Itoa(int(cred.Pid)))
	p.caller.Peer.UID = int(cred.Uid)
	if device := p.caller.Terminal.Device; device != "" {
		p.tty = device
	}
	if unix.PidfdSendSignal(pidfd, 0, nil, 0) != nil { // another process by now: what was read is about that one
		p.caller.Peer.Known = false
	}
	return p
}

// noTerminal is the name of no terminal, pseudoTerminal how that of one with another end begins.
const (
	noTerminal     = "?"
	pseudoTerminal = "pts/"
)

// terminalOf reads /proc/PID/stat: the name of the controlling terminal, and whether the process
// has its keys.
func terminalOf(stat string) (tty string, foreground bool) {
	end := strings.LastIndexByte(stat, ')')
	f := strings.Fields(stat[end+1:]) // state ppid pgrp session tty_nr tpgid
	if end < 0 || len(f) < 6 {
		return noTerminal, false
	}
	n, err := strconv.ParseInt(f[4], 10, 32)
	if err != nil || n == 0 {
		return noTerminal, false
	}
	dev := uint64(uint32(n))
	major, minor := unix.Major(dev), unix.Minor(dev)
	tty = fmt.Sprintf("tty %d:%d", major, minor)
	if major >= 136 && major <= 143 { // Unix98 terminals (devices.txt)
		tty = fmt.Sprintf(pseudoTerminal+"%d", (major-136)<<8+minor)
	}
	return strings.ReplaceAll(tty, " ", ""), f[2] == f[5]
}

// sweepSockets removes what launchers that were killed left behind.
func (l *Launcher) sweepSockets() {
	alive := audit.Alive(l.home.Audit())
	entries, _ := os.ReadDir(l.home.Runtime())
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), socketSuffix)
		if ok && isSessionID(id) && !alive(id) {
			_ = os.Remove(filepath.Join(l.home.Runtime(), e.Name()))
		}
	}
}

// Dial connects to the session whose id begins with prefix. The error is an [UnreachableError] where
// there is no such session to attach to.
func (l *Launcher) Dial(prefix string) (conn *os.File, id string, err error) {
	run, err := l.Past(prefix)
	if err != nil {
		return nil, "", err
	}
	if run.Within != "" {
		return l.Dial(run.Within)
	}
	dir, err := os.Open(l.home.Runtime())
	if err != nil {
		return nil, run.ID, err
	}
	defer dir.Close()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, run.ID, fmt.Errorf("connect to session %q: %w", run.ID, err)
	}
	err = unix.Connect(fd, &unix.SockaddrUnix{Name: socketName(dir, run.ID)})
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err == nil {
		return os.NewFile(uintptr(fd), "session "+run.ID), run.ID, nil
	}
	unix.Close(fd)
	switch {
	case run.State != "running":
		return nil, run.ID, &UnreachableError{ID: run.ID, Reason: "it is not running (" + run.State + ")", Try: "tadactl replay " + run.ID}
	case errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED):
		return nil, run.ID, &UnreachableError{
			ID: run.ID, Reason: "only a run started with tada-run --session can be taken over; you can watch this one",
			Try: "tadactl attach " + run.ID, Alone: true,
		}
	}
	return nil, run.ID, fmt.Errorf("connect to session %q: %w", run.ID, err)
}
