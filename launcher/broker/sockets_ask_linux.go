//go:build amd64 || arm64

package broker

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// asked asks about a connection that no rule allows while the caller waits, and returns where it
// leads: one address or more.
func (n *sockets) asked(c *call, s *socket,
	w network.Want) (list []netip.AddrPort, v network.Verdict, err error) {
	if w.Program = n.program(c); !c.waits() {
		return nil, v, unix.ESRCH
	}
	ctx, done := n.while(c)
	defer done()
	question := ""
	for again := &w; again != nil; {
		w = *again
		word := n.gate.Ask(ctx, w)
		if !word.OK {
			v, question = network.Verdict{Host: w.Host, Why: word.Why}, word.Question
			if question != "" {
				v.Fix = w.Text()
			}
			break
		}
		var addrs []netip.Addr
		addrs, v, again = n.gate.Lead(ctx, w)
		for _, addr := range addrs {
			list = append(list, netip.AddrPortFrom(addr, w.Port))
		}
	}
	fit := s.fitting(list)
	switch {
	case !v.OK:
		err = unix.EACCES
		if c.signalled() {
			err = restart // Ctrl-C, for one
		}
	case len(fit) == 0:
		v.OK, v.Why, err = false, "it has no address for this kind of socket", unix.ENETUNREACH
	default:
		return fit, v, nil
	}
	e := entry(c, "tcp", s.addr, v.Host)
	e.Address = w.Text()
	e.Refusal = Refusal{Refused: true, Why: v.Why, Fix: v.Fix, Question: question}
	n.log.add(e)
	return nil, v, err
}

// program is what makes a call, for a question about it. It is as good as other code of the run
// where the run may write it, and where it cannot be looked at.
func (n *sockets) program(c *call) network.Program {
	who := c.caller()
	p := network.Program{PID: who.PID, Path: who.Program, Own: true}
	fd, err := handle(c.process() + "exe")
	if err != nil {
		return p
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil && st.Nlink > 0 {
		p.ID = fmt.Sprintf("%d:%d", st.Dev, st.Ino)
		p.Own = p.Path == "" || n.trees.writable(p.Path)
	}
	return p
}

// while returns a context that ends when the caller does not wait any more, or has a signal.
func (n *sockets) while(c *call) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(n.work.ctx)
	go func() {
		tick := time.NewTicker(glance)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if !c.waits() || c.signalled() {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}

// fitting are the addresses that a socket can connect to, those of its own family first.
func (s *socket) fitting(list []netip.AddrPort) (fit []netip.AddrPort) {
	for _, to := range list {
		if to.Addr().Unmap().Is4() == (s.domain == unix.AF_INET) {
			fit = append(fit, to)
		}
	}
	if s.domain == unix.AF_INET6 && s.dual() {
		for _, to := range list {
			if to.Addr().Unmap().Is4() {
				fit = append(fit, mapped(to))
			}
		}
	}
	return fit
}

// maxTried is how many addresses of a name are tried for a caller.
const maxTried = 4

// dialAny connects to the first address that answers. The caller of a socket that does not block
// gets the answer that the connection is in progress, and learns the result of the first address
// only.
func (n *sockets) dialAny(c *call, s *socket, list []netip.AddrPort,
	blocks bool) (to netip.AddrPort, err error) {
	err = unix.ENETUNREACH
	for i, at := range list {
		if to, err = at, n.dial(c, s, at, blocks); i+1 == maxTried {
			break
		}
		switch err {
		case unix.ENETUNREACH, unix.EHOSTUNREACH, unix.EADDRNOTAVAIL, unix.ECONNREFUSED,
			unix.ETIMEDOUT:
			continue
		}
		break
	}
	return to, err
}

func (n *sockets) dial(c *call, s *socket, to netip.AddrPort, blocks bool) error {
	if blocks {
		return connectAndWait(n.work.ctx, c, s, to)
	}
	return unix.Connect(s.fd, s.sockaddr(to))
}
