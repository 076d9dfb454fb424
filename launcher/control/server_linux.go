package control

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/audit/screen"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// A Server is where a session is watched and driven from: the launcher's side of the connections to
// those who are attached. Output comes to it when it has been recorded; what is typed is recorded
// by the session before the program gets it, under an author that is decided here.
type Server struct {
	Session
	listener *os.File      // nil: no socket
	killed   chan struct{} // a person has ended the session
	epoch    atomic.Uint32 // of the lease, for readers that must not wait for mu
	working  sync.WaitGroup

	mu      sync.Mutex
	lease   session.Lease
	expiry  *time.Timer // of the lease
	clients map[int]*client
	last    int // the number of the newest client
	display
	input
}

// A display is what the session shows; guarded by Server.mu.
type display struct {
	private atomic.Bool    // what is shown now only the driver sees
	full    *screen.Screen // what the terminal shows
	open    *screen.Screen // what all clients may see; full, until something was private
	watch   *observed      // of the present lease; nil while the starter drives
}

// An input is what was admitted and is not yet typed; guarded by Server.mu.
type input struct {
	jobs []typing
	work *sync.Cond // there are jobs, or it is over
	over bool       // the session is
}

// leaseIdle is how long a person may look on without a key before a lease ends. It is long, because
// to watch a build is not to be away, and the end freezes that build.
const leaseIdle = 5 * time.Minute

// maxClients bounds what one session costs. Nobody looks from so many places.
const maxClients = 64

// New returns the server of a session that is about to begin.
func New(s Session) *Server {
	d := &Server{Session: s, clients: map[int]*client{}, killed: make(chan struct{}, 1)}
	d.work = sync.NewCond(&d.mu)
	return d
}

// Killed is told when a person has ended the session.
func (d *Server) Killed() <-chan struct{} { return d.killed }

// IsPrivate reports whether only the driver may see what is shown now.
func (d *Server) IsPrivate() bool { return d.private.Load() }

// Show passes on what the program printed. It is the session's last step for a piece of output, and
// waits for the driver alone, and not long.
func (d *Server) Show(p []byte) {
	frame := wire.Append(nil, wire.Frame{Kind: wire.Output, Body: p})
	d.mu.Lock()
	private := d.private.Load()
	d.draw(p, private)
	driver := d.clients[d.lease.Driver()]
	for _, s := range d.clients {
		if !private || s == driver {
			s.push(frame)
		}
	}
	d.mu.Unlock()
	if driver != nil {
		driver.pace()
	}
}

// draw keeps the model of the terminal.
func (d *Server) draw(p []byte, private bool) {
	if d.watch != nil {
		d.watch.output(d.full, p, private)
	} else {
		d.full.Write(p)
	}
	if d.open != d.full && !private {
		d.open.Write(p)
	}
}

// A typing is input that was admitted and is not yet typed.
type typing struct {
	client *client
	epoch  uint32
	by     string
	keys   []byte
}

// admit takes input of a client, or tells why not. It reports whether the client kept to its
// credit.
func (d *Server) admit(s *client, f wire.Frame) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.owed += len(f.Body)
	if s.owed > wire.Credit {
		return false
	}
	if err := d.lease.Admit(s.n, f.Epoch, d.Host.Now()); err != nil {
		s.refusedBytes += len(f.Body)
		s.tell(wire.Notice{Code: wire.CodeRefused, Message: err.Error(), By: d.lease.Taken(), Bytes: len(f.Body)})
		s.ack(len(f.Body))
		return true
	}
	d.jobs = append(d.jobs, typing{s, f.Epoch, s.by(f.Epoch), append([]byte(nil), f.Body...)})
	d.work.Signal()
	return true
}

// keys types what was admitted, in order. A program that does not read holds up this goroutine, and
// nothing else.
func (d *Server) keys() {
	for {
		d.mu.Lock()
		for len(d.jobs) == 0 && !d.over {
			d.work.Wait()
		}
		if d.over {
			d.mu.Unlock()
			return
		}
		job := d.jobs[0]
		d.jobs = d.jobs[1:]
		if d.watch != nil {
			d.watch.typed(job.keys, d.Terminal.Hidden() || d.private.Load())
		}
		d.mu.Unlock()
		stale := func() bool { return d.epoch.Load() != job.epoch }
		n, err := d.Terminal.Type(job.by, job.keys, stale)
		d.mu.Lock()
		if rest := len(job.keys) - n; rest > 0 && err == nil {
			d.discarded(job.client, job.by, rest)
		}
		job.client.ack(len(job.keys))
		d.mu.Unlock()
	}
}

// discarded says on both sides that input did not reach the program.
func (d *Server) discarded(s *client, by string, n int) {
	_ = d.Host.Mark(fmt.Sprintf("discarded %s typed by %s", audit.Plural(n, "byte"), by))
	s.tell(wire.Notice{Code: wire.CodeDiscarded, Bytes: n, By: d.lease.Taken(), Message: "input typed before control changed was discarded"})
}

// turned is called after every change of the lease: what is under way for another situation is
// discarded, and everybody is told.
func (d *Server) turned() {
	d.epoch.Store(d.lease.Epoch())
	d.Terminal.Nudge()
	kept := d.jobs[:0]
	for _, job := range d.jobs {
		if job.epoch == d.lease.Epoch() {
			kept = append(kept, job)
			continue
		}
		d.discarded(job.client, job.by, len(job.keys))
		job.client.ack(len(job.keys))
	}
	d.jobs = kept
	d.rearm()
	d.announce()
}

// rearm sets the clock that ends a lease without keys.
func (d *Server) rearm() {
	if d.expiry != nil {
		d.expiry.Stop()
		d.expiry = nil
	}
	left := d.lease.Left(d.Host.Now())
	if left == 0 || d.over {
		return
	}
	d.expiry = time.AfterFunc(left, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		who := d.lease.Taken()
		if !d.over && d.lease.Expire(d.Host.Now()) {
			d.lost(who, "no key was pressed for "+d.lease.Idle.String())
			return
		}
		d.rearm()
	})
}

// announce tells every client who drives.
func (d *Server) announce() {
	for _, s := range d.clients {
		s.control(d.status(s))
	}
}

// TellAll tells every client what happened.
func (d *Server) TellAll(n wire.Notice) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.clients {
		s.tell(n)
	}
}

// status is the situation as one client is told it.
func (d *Server) status(s *client) wire.Frame {
	cols, rows := d.Terminal.Size()
	driver := ""
	if at := d.clients[d.lease.Driver()]; at != nil {
		driver = at.who
	}
	return wire.JSON(wire.State, d.lease.Epoch(), wire.Status{
		ID: d.ID, Command: d.Command, Cols: cols, Rows: rows, Driver: driver,
		You: d.lease.Driver() == s.n, Frozen: d.lease.Frozen(), Private: d.private.Load(), Viewers: len(d.clients), Tier: d.Tier,
	})
}

// picture is the screen as one client may see it.
func (d *Server) picture(s *client) []byte {
	if d.lease.Driver() == s.n {
		return play.Redraw(d.full)
	}
	if d.private.Load() {
		return []byte("\x1b[?1049l\x1b[0m\x1b[H\x1b[2J\r\n(private: not shown to you)\r\n")
	}
	return play.Redraw(d.open)
}

// resize gives the terminal the size of the driver.
func (d *Server) resize(cols, rows int) {
	if cols <= 0 || rows <= 0 {
		return
	}
	if err := d.Terminal.Resize(cols, rows); err != nil {
		return
	}
	d.full.Resize(cols, rows)
	if d.open != d.full {
		d.open.Resize(cols, rows)
	}
	d.announce()
}

// control writes an entry about who drives, and marks the place in the transcript.
func (d *Server) control(kind string, durable audit.Durability, label string, body Body) {
	body["epoch"] = int64(d.lease.Epoch())
	_ = d.Host.Record(kind, body, durable)
	_ = d.Host.Mark(label)
}

// Close ends all driving: what comes from here on is about a session that has ended.
func (d *Server) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	d.work.Broadcast()
	if d.expiry != nil {
		d.expiry.Stop()
	}
}

// End tells all clients that the session is over, and lets go of them.
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
