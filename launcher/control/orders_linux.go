package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// orders are what a client may ask for besides typing. Each returns why not.
var orders = map[wire.Kind]func(*Server, *client, wire.Frame) error{
	wire.Take:     func(d *Server, s *client, f wire.Frame) error { return d.take(s) },
	wire.Give:     (*Server).give,
	wire.Summary:  (*Server).summary,
	wire.Freeze:   (*Server).freeze,
	wire.Continue: (*Server).thaw,
	wire.Private:  (*Server).setPrivate,
	wire.Kill:     (*Server).kill,
	wire.Refresh:  func(_ *Server, s *client, _ wire.Frame) error { s.redraw(); return nil },
}

// errNoTakeover is the answer where policy leaves viewing only.
var errNoTakeover = errors.New(
	"the policy does not allow takeovers (security.allow_terminal_takeover: false); you " +
		"can only watch")

// order carries one out. What a person may do is asked of the kernel each time: a process can end
// up in another place than it connected from.
func (d *Server) order(s *client, f wire.Frame, do func(*Server, *client, wire.Frame) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return
	}
	err := d.may(s, f.Kind)
	if err == nil {
		err = do(d, s, f)
	}
	if err != nil {
		s.refuse(err)
	}
}

// may returns why a client may not give an order, and records that it tried.
func (d *Server) may(s *client, k wire.Kind) error {
	var err error
	switch {
	case k == wire.Refresh:
		return nil
	case !d.Takeover && s.person:
		err = errNoTakeover
	case !s.person && !(s.starter && (k == wire.Private || k == wire.Kill)):
		err = s.noPerson()
	default:
		return nil
	}
	d.attempted(s, k, err)
	return err
}

// orderNames are the orders as the record names them.
var orderNames = map[wire.Kind]string{
	wire.Take: "take control", wire.Give: "give control back", wire.Summary: "see the summary",
	wire.Freeze:   "freeze",
	wire.Continue: "continue", wire.Private: "make private", wire.Kill: "kill",
}

// attempted records a refused order, each once for a client.
func (d *Server) attempted(s *client, k wire.Kind, why error) {
	if slices.Contains(s.attempts, k) {
		return
	}
	s.attempts = append(s.attempts, k)
	body := Body{"by": s.who, "order": orderNames[k], "reason": why.Error()}
	if s.via.Terminal != "" || len(s.via.Ancestors) > 0 {
		body["via"] = Body{"channel": string(s.via.Channel), "terminal": s.via.Terminal,
			"holder": s.via.Holder, "ancestors": s.via.Ancestors}
	}
	d.control(kindBarred, audit.Durable, s.who+" was refused: "+orderNames[k], body)
}

// noPerson says why a client may not do what is for people, and where a person can.
func (s *client) noPerson() error {
	if s.why == nil { // it is the one that the session was started from
		return fmt.Errorf(
			"only a person can do this; in another terminal: tadactl attach --take %s", s.d.ID)
	}
	_, why, _ := strings.Cut(s.why.Error(), approval.ErrPerson.Error()+": ")
	return fmt.Errorf(
		"only a person can do this: %s; in another terminal: tadactl attach --take %s", why, s.d.ID)
}

// take gives a person the keys. Whether it may was looked at before.
func (d *Server) take(s *client) error {
	was := ""
	if at := d.clients[d.lease.Driver()]; at != nil {
		was = at.who
	}
	thawed := d.lease.Frozen()
	if err := d.lease.Take(s.n, s.name(), d.Host.Now()); err != nil {
		return err
	}
	d.lease.Idle = s.idle
	s.did(kindTakeover, audit.Durable, "takes over", Body{"from": was,
		"author": s.by(d.lease.Epoch())})
	if thawed {
		d.Process.Thaw()
	}
	d.watch = d.observe(s)
	d.turned()
	for _, other := range d.clients {
		if other != s {
			other.tell(wire.Notice{Code: wire.CodeTaken, By: s.who, Message: s.name() +
				" took over; other input is refused until control is given back"})
		}
	}
	d.resize(s.cols, s.rows)
	s.redraw()
	return nil
}

// give hands back to the client that came with the session.
func (d *Server) give(s *client, f wire.Frame) error {
	var note struct{ Note string }
	if len(f.Body) > 0 {
		_ = json.Unmarshal(f.Body, &note)
	}
	thawed := d.lease.Frozen()
	if err := d.lease.Give(s.n, f.Epoch); err != nil {
		return err
	}
	d.publish()
	report := d.report(s, note.Note)
	d.watch = nil
	refused := 0
	for _, other := range d.clients {
		refused += other.refusedBytes
		other.refusedBytes = 0
	}
	s.did(kindHandback, audit.Durable, "gave control back",
		Body{"report": reportBody(report), "refused_bytes": refused})
	if thawed {
		d.Process.Thaw()
	}
	if at := d.clients[d.lease.Driver()]; at != nil {
		d.resize(at.cols, at.rows)
	}
	d.turned()
	for _, other := range d.clients {
		other.tell(wire.Notice{Code: wire.CodeHandback, By: s.who, Message: s.name() +
			" gave control back", Summary: report})
		other.redraw()
	}
	return nil
}

// summary shows a person the report that a hand-back would send now.
func (d *Server) summary(s *client, _ wire.Frame) error {
	if d.watch == nil || d.watch.driver != s.n {
		return session.ErrNotDriving
	}
	s.tell(wire.Notice{Code: wire.CodeSummary, Message: "summary for the owner",
		Summary: d.report(s, "")})
	return nil
}

func (d *Server) freeze(s *client, _ wire.Frame) error {
	if d.lease.Frozen() {
		return session.ErrFrozen
	}
	d.lease.Freeze()
	d.Process.Freeze()
	s.did(kindFrozen, audit.Durable, "froze the session", Body{})
	d.turned()
	for _, other := range d.clients {
		other.tell(wire.Notice{Code: wire.CodeFrozen, By: s.who, Message: "frozen by " + s.name()})
	}
	return nil
}

func (d *Server) thaw(s *client, _ wire.Frame) error {
	if !d.lease.Frozen() {
		return errors.New("the session is not frozen")
	}
	d.lease.Thaw(d.Host.Now())
	d.Process.Thaw()
	s.did(kindThawed, audit.Durable, "continued the session", Body{})
	d.turned()
	return nil
}

// setPrivate begins or ends what only the driver sees.
func (d *Server) setPrivate(s *client, f wire.Frame) error {
	on := len(f.Body) == 1 && f.Body[0] == 1
	switch {
	case d.lease.Driver() != s.n:
		return session.ErrNotDriving
	case f.Epoch != d.lease.Epoch():
		return session.ErrStale
	case on == d.private.Load():
		return nil
	case !on:
		d.publish()
		d.announce()
		return nil
	}
	s.did(kindPrivate, audit.Durable, "made the session private", Body{})
	d.open = d.full.Clone()
	d.open.Told = nil
	d.private.Store(true)
	d.announce()
	for _, other := range d.clients {
		if other != s {
			other.redraw()
		}
	}
	return nil
}

func (d *Server) kill(s *client, _ wire.Frame) error {
	s.did("ctl.kill", audit.Durable, "killed the session", Body{})
	d.Process.Thaw()
	select {
	case d.killed <- struct{}{}:
	default: // it was reported already
	}
	return nil
}
