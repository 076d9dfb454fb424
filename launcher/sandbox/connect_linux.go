//go:build amd64 || arm64

package sandbox

import (
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// connect connects a socket, if the run may reach the address.
func (c *netCall) connect() {
	t, err := c.addressed()
	if err != nil {
		c.reply(err)
		return
	}
	switch {
	case t.domain == unix.AF_UNIX:
		c.connectLocal(&t, t.bytes)
		return
	case !t.internet():
		c.settle(&t, unix.EACCES)
		return
	}
	flags, err := unix.FcntlInt(uintptr(t.fd), unix.F_GETFL, 0)
	if err != nil {
		c.settle(&t, err)
		return
	}
	k := c.broker
	switch {
	case t.packets:
		c.packetsTo(&t)
	case t.family == unix.AF_UNSPEC:
		err := disconnect(t.fd)
		unix.Close(t.fd)
		c.reply(err)
	case t.kind != unix.SOCK_STREAM: // of the child's own network, where the name servers are and nothing else
		if err := unix.Connect(t.fd, t.sockaddr(t.addr)); err == unix.ENETUNREACH {
			c.nowhere(&t, c.wantsTheWay(&t), t.addr)
		} else {
			c.settle(&t, err)
		}
	case flags&unix.O_NONBLOCK != 0 && k.gate.Instant(t.addr):
		c.reply(c.reach(&t, true))
		unix.Close(t.fd)
	default:
		k.beside(func() {
			c.reply(c.reach(&t, flags&unix.O_NONBLOCK != 0))
			unix.Close(t.fd)
		})
	}
}

// beside does what takes time while other calls are answered.
func (k *broker) beside(f func()) {
	k.slow.Add(1)
	go func() {
		defer k.slow.Done()
		k.room <- struct{}{}
		defer func() { <-k.room }()
		f()
	}()
}

// inTurn is beside for what a child can send without waiting for an answer: who brings it waits until there is room, and so does the child.
func (k *broker) inTurn(f func()) {
	k.room <- struct{}{}
	k.slow.Add(1)
	go func() {
		defer k.slow.Done()
		defer func() { <-k.room }()
		f()
	}()
}

// reach connects, and returns what connect(2) returns.
func (c *netCall) reach(t *target, nonblock bool) error {
	k := c.broker
	to := t.addr
	if k.isNameServer(to) {
		return c.reachNames(t, nonblock)
	}
	v := k.gate.Connect(k.ctx, to)
	if !v.OK {
		c.refused("tcp", to, v)
		return unix.EACCES
	}
	if addr := to.Addr(); addr == netip.IPv6Loopback() && t.domain == unix.AF_INET6 && k.isNarrowed(to.Port()) && t.dual() {
		to = netip.AddrPortFrom(netip.AddrFrom16(netip.AddrFrom4([4]byte{127, 0, 0, 1}).As16()), to.Port())
	}
	cookie, _ := unix.GetsockoptUint64(t.fd, unix.SOL_SOCKET, unix.SO_COOKIE)
	k.book.watch()
	var err error
	if nonblock {
		err = unix.Connect(t.fd, t.sockaddr(to))
	} else {
		err = c.await(t, to)
	}
	if err == unix.EISCONN || err == unix.EALREADY || c.broker.book.knows(cookie) {
		return err
	}
	e := Connection{Kind: "tcp", Host: v.Host, Address: plain(to), cookie: cookie, Sent: -1, Received: -1}
	if err != nil && err != unix.EINPROGRESS {
		e.Error = err.Error()
	}
	c.record(e)
	return err
}

// glance is how long a connection that blocks is waited for before the child is looked at again.
const glance = 100 * time.Millisecond

// await connects for a child that waits for it. It may be told to stop waiting meanwhile, by a signal, and the connection may have a limit of time.
func (c *netCall) await(t *target, to netip.AddrPort) error {
	begin := time.Now()
	limit := time.Duration(0)
	if tv, err := unix.GetsockoptTimeval(t.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO); err == nil {
		limit = time.Duration(tv.Nano())
	}
	// The flag is one with the child's, so it is set for the length of one call only.
	err := withoutBlocking(t.fd, func() error { return unix.Connect(t.fd, t.sockaddr(to)) })
	for err == unix.EINPROGRESS || err == unix.EALREADY {
		poll := []unix.PollFd{{Fd: int32(t.fd), Events: unix.POLLOUT}}
		n, perr := unix.Poll(poll, int(glance/time.Millisecond))
		switch {
		case n > 0:
			return withoutBlocking(t.fd, func() error { return unix.Connect(t.fd, t.sockaddr(to)) })
		case perr != nil && perr != unix.EINTR, !c.waits(), c.broker.ctx.Err() != nil:
			return unix.EINTR
		case limit > 0 && time.Since(begin) >= limit:
			return unix.EINPROGRESS
		case signalled(int(c.pid)):
			return restart
		}
	}
	return err
}

// restart is ERESTARTSYS: the kernel begins the call anew after the signal's handler, or returns EINTR, as the handler wants it.
const restart = unix.Errno(512)

func withoutBlocking(fd int, f func() error) error {
	if err := unix.SetNonblock(fd, true); err != nil {
		return err
	}
	err := f()
	if bad := unix.SetNonblock(fd, false); err == nil {
		err = bad
	}
	return err
}

// disconnect is connect with AF_UNSPEC: the socket is as new.
func disconnect(fd int) error {
	var sa unix.RawSockaddrInet4
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(pointer(&sa)), unix.SizeofSockaddrInet4)
	if errno != 0 {
		return errno
	}
	return nil
}

// signalled reports whether a signal that is not blocked waits for a thread. While the launcher answers, only a deadly one interrupts it.
func signalled(tid int) bool {
	text, err := os.ReadFile("/proc/" + itoa(tid) + "/status")
	if err != nil {
		return false
	}
	mask := func(name string) uint64 {
		v, _ := strconv.ParseUint(statusField(string(text), name), 16, 64)
		return v
	}
	return (mask("SigPnd:")|mask("ShdPnd:"))&^mask("SigBlk:")&^mask("SigIgn:") != 0
}

// statusField returns a field of a status file in /proc.
func statusField(text, name string) string {
	_, rest, ok := strings.Cut(text, "\n"+name)
	if !ok {
		return ""
	}
	value, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(value)
}

func statusNumber(pid int, name string) int {
	text, err := os.ReadFile("/proc/" + itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(statusField(string(text), name))
	return n
}

func (k *broker) isNarrowed(port uint16) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.narrowed[port]
}
