package control

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/tada-run/tada-run/launcher/session/wire"
)

func (d *Server) newClient(conn *os.File, who string, person bool) *client {
	s := &client{d: d, conn: conn, identity: identity{who: who, person: person}}
	s.written = make(chan struct{})
	s.more = sync.NewCond(&s.mu)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	s.n = d.last
	d.clients[s.n] = s
	return s
}

// start begins to read and to write.
func (s *client) start() {
	go s.write()
	go func() {
		_ = s.read()
		s.leave()
	}()
}

// write sends what waits, until finish or an error.
func (s *client) write() {
	defer close(s.written)
	for {
		p, end := s.next()
		for len(p) > 0 {
			n, err := s.conn.Write(p[:min(len(p), 16<<10)])
			if err != nil {
				s.mu.Lock()
				s.done = true
				s.queue, s.orders = nil, nil
				s.more.Broadcast()
				s.mu.Unlock()
				s.conn.Close()
				return
			}
			p = p[n:]
			s.mu.Lock()
			s.moved = time.Now()
			s.mu.Unlock()
		}
		if end {
			return
		}
	}
}

// next waits for what is to be sent. A client that fell behind and has read up gets the screen.
func (s *client) next() (p []byte, end bool) {
	s.mu.Lock()
	for len(s.orders)+len(s.queue) == 0 && !s.done && !s.lost {
		s.more.Wait()
	}
	p = append(s.orders, s.queue...)
	s.orders, s.queue = nil, nil
	s.more.Broadcast()
	behind := s.lost && len(p) == 0
	if end = s.done && !behind; end {
		p = append(p, s.last...)
	}
	s.mu.Unlock()
	if behind {
		s.d.mu.Lock()
		s.redraw()
		s.d.mu.Unlock()
	}
	return p, end
}

// leave takes the client away. A lease that goes with it freezes the session where another client
// would go on in its place.
func (s *client) leave() {
	d := s.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.clients[s.n] != s || d.over {
		return
	}
	delete(d.clients, s.n)
	s.mu.Lock()
	s.done = true
	s.more.Broadcast()
	s.mu.Unlock()
	s.conn.Close()
	was := d.lease.Epoch()
	drove := d.lease.Driver() == s.n || d.lease.Frozen() && d.lease.Taken() == s.name()
	froze := d.lease.Leave(s.n)
	switch {
	case froze:
		d.lost(s, "the connection ended")
	case d.lease.Epoch() != was:
		if drove {
			d.ownUp()
			s.did(kindLeft, 0, "left", Body{})
		}
		d.turned()
	default:
		d.announce()
	}
}

// read takes orders and input until the connection ends. Any frame that is not as it must be ends
// it.
func (s *client) read() error {
	r := wire.NewReader(s.conn)
	r.Partial = s.hurry
	s.hurry(true)
	f, err := r.Next()
	if err != nil {
		return err
	}
	s.hurry(false) // after its greeting a client may be silent
	var g wire.Greeting
	if f.Kind != wire.Hello {
		return fmt.Errorf("%v before a greeting", f.Kind)
	}
	if err := json.Unmarshal(f.Body, &g); err != nil {
		return err
	}
	s.d.welcome(s, g)
	for {
		if f, err = r.Next(); err != nil {
			return err
		}
		switch f.Kind {
		case wire.Input:
			if !s.d.admit(s, f) {
				return fmt.Errorf("more than %d bytes of input at once", wire.Credit)
			}
		case wire.Window:
			cols, rows, ok := wire.ReadSize(f.Body)
			if !ok {
				return fmt.Errorf("a size of %d bytes", len(f.Body))
			}
			s.d.window(s, f.Epoch, cols, rows)
		default:
			order := orders[f.Kind]
			if order == nil {
				return fmt.Errorf("%v from a client", f.Kind)
			}
			s.d.order(s, f, order)
		}
	}
}

// welcome shows a new client the session.
func (d *Server) welcome(s *client, g wire.Greeting) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return
	}
	s.cols, s.rows = g.Cols, g.Rows
	s.idle, s.device = leaseIdle, deviceName(g.Device)
	if g.Idle > 0 {
		s.idle = time.Duration(g.Idle) * time.Second
	}
	if d.lease.Driver() == s.n {
		d.resize(g.Cols, g.Rows)
	}
	if s.person {
		s.did(kindAttached, 0, "watches", Body{})
	}
	if g.Take {
		err := d.may(s, wire.Take)
		if err == nil {
			err = d.take(s)
		}
		if err != nil {
			s.refuse(err)
		}
	}
	if s.starter {
		s.control(d.status(s)) // it has had every byte from the first on
	} else {
		s.redraw()
		for _, n := range d.asked {
			s.tell(n)
		}
	}
	for _, other := range d.clients {
		if other != s {
			other.control(d.status(other))
		}
	}
}

// window notes a client's size; that of the driver is the session's.
func (d *Server) window(s *client, epoch uint32, cols, rows int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.cols, s.rows = cols, rows
	if d.lease.Driver() == s.n && epoch == d.lease.Epoch() {
		d.resize(cols, rows)
	}
}
