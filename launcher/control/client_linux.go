package control

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// A client is one client of a session: a connection, read and written each on its own goroutine,
// with a queue that is bounded. What does not fit is not kept: when the client reads again, it gets
// the screen as it is then.
type client struct {
	d    *Server
	n    int
	conn *os.File
	identity
	standing
	outbox
}

// A standing is what the server keeps of a client; guarded by Server.mu.
type standing struct {
	owed         int           // bytes of input that are not acknowledged
	refusedBytes int           // since the last hand-back
	cols, rows   int           // of its terminal
	idle         time.Duration // without a key, after which a lease of this client ends
	attempts     []wire.Kind   // orders that were refused and are on record
}

// An outbox is what waits to be sent to a client.
type outbox struct {
	mu      sync.Mutex
	more    *sync.Cond
	orders  []byte // frames that are never dropped
	queue   []byte // frames of output
	lost    bool   // output was dropped: the next is a picture
	moved   time.Time
	last    []byte
	done    bool
	written chan struct{}
}

// An identity is who a client is, as the kernel said when it connected.
type identity struct {
	who     string // for people: "uid 0 at pts/3"
	starter bool   // it came with the session
	person  bool   // the kernel says: free of sandboxes, with the keys of a person's terminal
	why     error  // it is no person
	via     approval.Via
	uid     int
	tty     string
}

const (
	// MaxQueue is what may wait for one client; 256 KiB are some screens of a full-screen program.
	MaxQueue = 256 << 10
	// slack is what may wait for the one who drives before the program has to.
	slack = 128 << 10
	// patience is how long who drives may stall the program without reading anything.
	patience = time.Second
	// maxOrders is more than any reader leaves: a client that reads nothing while the lease changes
	// thousands of times is cut off.
	maxOrders = 1 << 20
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

// by is the author of what this client types.
func (s *client) by(epoch uint32) string {
	if !s.person {
		return s.d.Author
	}
	return fmt.Sprintf("human:%d@%s#%d", s.uid, s.tty, epoch)
}

// push queues output.
func (s *client) push(frames []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.lost || s.done:
	case len(s.queue)+len(frames) > MaxQueue && len(s.queue) > 0:
		s.queue, s.lost = s.queue[:0], true
	default:
		if len(s.queue) == 0 {
			s.moved = time.Now()
		}
		s.queue = append(s.queue, frames...)
	}
	s.more.Broadcast()
}

// control queues what must not be dropped.
func (s *client) control(f wire.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return
	}
	if s.orders = wire.Append(s.orders, f); len(s.orders) > maxOrders {
		s.orders, s.done = nil, true
		s.conn.Close()
	}
	s.more.Broadcast()
}

func (s *client) tell(n wire.Notice) { s.control(wire.JSON(wire.Tell, s.d.lease.Epoch(), n)) }

// ack gives back credit. The Server is locked.
func (s *client) ack(n int) {
	s.owed -= n
	s.control(wire.Frame{Kind: wire.Ack, Body: wire.Count(n)})
}

// redraw queues the screen as it is, in the place of everything that waits. The Server is locked.
func (s *client) redraw() {
	frames := wire.Append(nil, wire.Frame{Kind: wire.Redraw, Body: s.d.picture(s)})
	s.control(s.d.status(s))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue, s.lost = frames, false
	s.more.Broadcast()
}

// pace waits until the queue is short, as long as the client reads.
func (s *client) pace() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > slack && !s.done && !s.lost {
		left := patience - time.Since(s.moved)
		if left <= 0 {
			s.queue, s.lost = s.queue[:0], true
			return
		}
		wake := time.AfterFunc(left, s.more.Broadcast)
		s.more.Wait()
		wake.Stop()
	}
}

// finish queues the last frame.
func (s *client) finish(f wire.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.done = wire.Append(nil, f), true
	s.more.Broadcast()
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
	drove := d.lease.Driver() == s.n || d.lease.Frozen() && d.lease.Taken() == s.who
	froze := d.lease.Leave(s.n)
	switch {
	case froze:
		d.lost(s.who, "the connection ended")
	case d.lease.Epoch() != was:
		if drove {
			d.ownUp()
			d.control(kindLeft, 0, s.who+" left", Body{"by": s.who})
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

// hurry gives the client Session.Patience from now on, or all the time in the world. There are few
// places for clients, so one that stops in the middle of a frame does not keep its place; and half
// an order must not be carried out when its other half comes an hour later.
func (s *client) hurry(on bool) {
	limit := time.Time{}
	if on {
		limit = time.Now().Add(s.d.Patience)
	}
	_ = s.conn.SetReadDeadline(limit)
}

// welcome shows a new client the session.
func (d *Server) welcome(s *client, g wire.Greeting) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return
	}
	s.cols, s.rows = g.Cols, g.Rows
	s.idle = leaseIdle
	if g.Idle > 0 {
		s.idle = time.Duration(g.Idle) * time.Second
	}
	if d.lease.Driver() == s.n {
		d.resize(g.Cols, g.Rows)
	}
	if s.person {
		d.control(kindAttached, 0, s.who+" watches", Body{"by": s.who})
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

func (s *client) refuse(err error) {
	s.tell(wire.Notice{Code: wire.CodeRefused, Message: err.Error(), By: s.d.lease.Taken()})
}
