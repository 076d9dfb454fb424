package launcher

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

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
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
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
	d.listener = fd
	d.working.Go(d.accept)
	return nil
}

// unlisten takes the socket away. Shutting it down ends the accept.
func (d *desk) unlisten() {
	if d.listener < 0 {
		return
	}
	_ = unix.Shutdown(d.listener, unix.SHUT_RDWR)
	_ = os.Remove(filepath.Join(d.r.l.home.Runtime(), d.r.id+socketSuffix))
}

func (d *desk) accept() {
	defer unix.Close(d.listener)
	for {
		fd, _, err := unix.Accept4(d.listener, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
		switch {
		case errors.Is(err, unix.EINTR) || errors.Is(err, unix.ECONNABORTED):
			continue
		case err != nil:
			return
		}
		conn := os.NewFile(uintptr(fd), "attached")
		p := peerOf(fd)
		d.mu.Lock()
		full := len(d.seats) >= maxSeats || d.over
		d.mu.Unlock()
		if full || p.may(false) != nil {
			conn.Close()
			continue
		}
		s := d.newSeat(conn, fmt.Sprintf("uid %d at %s", p.facts.UID, p.tty), p.may(true) == nil)
		s.uid, s.tty = p.facts.UID, p.tty
		s.sit()
	}
}

// A peer is the process at the other end of a connection, as it was when it connected.
type peer struct {
	facts  approval.PeerFacts
	normal bool // no_new_privs is on everything here
	tty    string
}

// may reports why the process may not watch or, with keys, not drive.
func (p peer) may(keys bool) error {
	return approval.MayDecide(p.facts, approval.PeerRules{UID: os.Getuid(), Terminal: keys, NoNewPrivsIsNormal: p.normal})
}

// peerOf asks the kernel.
func peerOf(fd int) peer {
	p := peer{tty: "?"}
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || cred.Pid <= 0 {
		return p
	}
	p.facts.UID = int(cred.Uid)
	pidfd, err := unix.PidfdOpen(int(cred.Pid), 0)
	if err != nil {
		return p
	}
	defer unix.Close(pidfd)
	pid := strconv.Itoa(int(cred.Pid))
	first, _ := statusOf("1")
	own, ok := statusOf(pid)
	p.normal = first.noNewPrivs
	p.facts.NoNewPrivs, p.facts.Seccomp = own.noNewPrivs, max(own.filters-first.filters, 0)
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err == nil {
		p.tty, p.facts.Terminal = terminalOf(string(text))
	}
	// Still the same process: what was read is about it.
	p.facts.Known = ok && err == nil && unix.PidfdSendSignal(pidfd, 0, nil, 0) == nil
	return p
}

// terminalOf reads /proc/PID/stat: the name of the controlling terminal, and whether the process
// has its keys.
func terminalOf(stat string) (tty string, foreground bool) {
	end := strings.LastIndexByte(stat, ')')
	f := strings.Fields(stat[end+1:]) // state ppid pgrp session tty_nr tpgid
	if end < 0 || len(f) < 6 {
		return "?", false
	}
	n, err := strconv.ParseInt(f[4], 10, 32)
	if err != nil || n == 0 {
		return "?", false
	}
	dev := uint64(uint32(n))
	major, minor := unix.Major(dev), unix.Minor(dev)
	tty = fmt.Sprintf("tty %d:%d", major, minor)
	if major >= 136 && major <= 143 { // Unix98 terminals (devices.txt)
		tty = fmt.Sprintf("pts/%d", (major-136)<<8+minor)
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
			ID: run.ID, Reason: "it runs on a terminal of its own or on none, so nobody else can drive it (tada-run --session lets others)",
			Try: "tadactl attach " + run.ID, Alone: true,
		}
	}
	return nil, run.ID, fmt.Errorf("connect to session %q: %w", run.ID, err)
}
