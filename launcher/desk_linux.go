package launcher

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/audit/screen"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// A desk is where a held session is watched and driven from: the launcher's side of the connections
// to those who are attached. Output comes to it when it has been recorded; what somebody types is
// recorded by the session before the program gets it, under an author that is decided here.
type desk struct {
	r        *started
	author   string   // of what the starter types
	listener *os.File // nil: no socket
	takeover bool     // policy lets people take over

	epoch   atomic.Uint32 // of the lease, for who must not wait for mu
	private atomic.Bool   // what is shown now only the driver sees
	working sync.WaitGroup

	mu     sync.Mutex
	lease  session.Lease
	seats  map[int]*seat
	last   int            // the number of the newest seat
	full   *screen.Screen // what the terminal shows
	open   *screen.Screen // what everybody may see; full, until something was private
	watch  *observed      // of the present lease; nil while the starter drives
	expiry *time.Timer
	jobs   []typing
	work   *sync.Cond // of mu: there are jobs, or it is over
	over   bool
}

// leaseIdle is how long a person may look on without a key before a lease ends. It is long, because
// to watch a build is not to be away, and the end freezes that build.
const leaseIdle = 5 * time.Minute

// maxSeats bounds what one session costs. Nobody looks from so many places.
const maxSeats = 64

// newDesk returns the desk of a session that is about to open.
func newDesk(r *started) *desk {
	d := &desk{
		r: r, author: r.Request.Hold.Author, seats: map[int]*seat{},
		takeover: r.policy.Settings().AllowTerminalTakeover,
	}
	d.work = sync.NewCond(&d.mu)
	return d
}

// serve seats whoever started the session and opens the socket for the others. Nothing has run yet.
func (d *desk) serve() error {
	cols, rows := d.r.terminal.Size()
	d.full = screen.New(cols, rows)
	d.full.Told = d.told
	d.open = d.full
	if err := d.listen(); err != nil {
		return err
	}
	d.working.Go(d.keys)
	if front := d.r.Request.Hold.Front; front != nil {
		s := d.newSeat(front, d.author, false)
		s.starter = true
		d.mu.Lock()
		d.lease.Start(s.n)
		d.epoch.Store(d.lease.Epoch())
		d.mu.Unlock()
		s.sit()
	}
	return nil
}

// show passes on what the program printed. It is the session's last step for a piece of output, and
// waits for nobody but the one who drives, and for her not long.
func (d *desk) show(p []byte) {
	frame := wire.Append(nil, wire.Frame{Kind: wire.Output, Body: p})
	d.mu.Lock()
	private := d.private.Load()
	d.draw(p, private)
	driver := d.seats[d.lease.Driver()]
	for _, s := range d.seats {
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
func (d *desk) draw(p []byte, private bool) {
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
	seat  *seat
	epoch uint32
	by    string
	keys  []byte
}

// admit takes input of a seat, or tells why not. It reports whether the client kept to its credit.
func (d *desk) admit(s *seat, f wire.Frame) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.owed += len(f.Body)
	if s.owed > wire.Credit {
		return false
	}
	if err := d.lease.Admit(s.n, f.Epoch, d.r.l.now()); err != nil {
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
func (d *desk) keys() {
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
			d.watch.typed(job.keys, d.r.terminal.Hidden() || d.private.Load())
		}
		d.mu.Unlock()
		stale := func() bool { return d.epoch.Load() != job.epoch }
		n, err := d.r.terminal.Type(job.by, job.keys, stale)
		d.mu.Lock()
		if rest := len(job.keys) - n; rest > 0 && err == nil {
			d.discarded(job.seat, job.by, rest)
		}
		job.seat.ack(len(job.keys))
		d.mu.Unlock()
	}
}

// discarded says on both sides that input did not reach the program.
func (d *desk) discarded(s *seat, by string, n int) {
	_ = d.r.recorder.Mark(fmt.Sprintf("discarded %s typed by %s", audit.Plural(n, "byte"), by))
	s.tell(wire.Notice{Code: wire.CodeDiscarded, Bytes: n, By: d.lease.Taken(), Message: "input typed before control changed was discarded"})
}

// turned is called after every change of the lease: what is under way for another situation is
// discarded, and everybody is told.
func (d *desk) turned() {
	d.epoch.Store(d.lease.Epoch())
	d.r.terminal.Nudge()
	kept := d.jobs[:0]
	for _, job := range d.jobs {
		if job.epoch == d.lease.Epoch() {
			kept = append(kept, job)
			continue
		}
		d.discarded(job.seat, job.by, len(job.keys))
		job.seat.ack(len(job.keys))
	}
	d.jobs = kept
	d.rearm()
	d.announce()
}

// rearm sets the clock that ends a lease without keys.
func (d *desk) rearm() {
	if d.expiry != nil {
		d.expiry.Stop()
		d.expiry = nil
	}
	left := d.lease.Left(d.r.l.now())
	if left == 0 || d.over {
		return
	}
	d.expiry = time.AfterFunc(left, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		who := d.lease.Taken()
		if !d.over && d.lease.Expire(d.r.l.now()) {
			d.lost(who, "no key was pressed for "+d.lease.Idle.String())
			return
		}
		d.rearm()
	})
}

// announce tells every seat who drives.
func (d *desk) announce() {
	for _, s := range d.seats {
		s.control(d.status(s))
	}
}

// tellAll tells every seat what happened.
func (d *desk) tellAll(n wire.Notice) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.seats {
		s.tell(n)
	}
}

// status is the situation as one seat is told it.
func (d *desk) status(s *seat) wire.Frame {
	cols, rows := d.r.terminal.Size()
	driver := ""
	if at := d.seats[d.lease.Driver()]; at != nil {
		driver = at.who
	}
	return wire.JSON(wire.State, d.lease.Epoch(), wire.Status{
		ID: d.r.id, Command: brief(d.r.shown, 200), Cols: cols, Rows: rows, Driver: driver,
		You: d.lease.Driver() == s.n, Frozen: d.lease.Frozen(), Private: d.private.Load(), Viewers: len(d.seats), Tier: d.r.tier(),
	})
}

// picture is the screen as one seat may see it.
func (d *desk) picture(s *seat) []byte {
	if d.lease.Driver() == s.n {
		return play.Redraw(d.full)
	}
	if d.private.Load() {
		return []byte("\x1b[?1049l\x1b[0m\x1b[H\x1b[2J\r\n(private: not shown to you)\r\n")
	}
	return play.Redraw(d.open)
}

// resize gives the terminal the size of whoever drives.
func (d *desk) resize(cols, rows int) {
	if cols <= 0 || rows <= 0 {
		return
	}
	if err := d.r.terminal.Resize(cols, rows); err != nil {
		return
	}
	d.full.Resize(cols, rows)
	if d.open != d.full {
		d.open.Resize(cols, rows)
	}
	d.announce()
}

// control writes an entry about who drives, and marks the place in the transcript.
func (d *desk) control(kind string, durable audit.Durability, label string, body object) {
	body["epoch"] = int64(d.lease.Epoch())
	_ = d.r.record(kind, body, durable)
	_ = d.r.recorder.Mark(label)
}

// close ends all driving: what comes from here on is about a session that has ended.
func (d *desk) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	d.work.Broadcast()
	if d.expiry != nil {
		d.expiry.Stop()
	}
}

// end tells everybody that the session is over, and lets go of them.
func (d *desk) end(status, signal int) {
	d.mu.Lock()
	seats := make([]*seat, 0, len(d.seats))
	for _, s := range d.seats {
		s.finish(wire.JSON(wire.End, d.lease.Epoch(), wire.Ending{Status: status, Signal: signal}))
		seats = append(seats, s)
	}
	d.mu.Unlock()
	d.unlisten()
	limit := time.Now().Add(farewell)
	for _, s := range seats {
		_ = s.conn.SetDeadline(limit) // one that does not read keeps nobody
		<-s.written
		s.conn.Close()
	}
	d.working.Wait()
}

// farewell is how long clients may take to read the last of a session.
const farewell = 2 * time.Second

// hangUp ends a session as a terminal that is closed does. A shell that has a terminal ignores
// SIGTERM; this tells it, and it tells its jobs.
func (r *started) hangUp() {
	r.process.Thaw() // what is frozen hears nothing
	for _, sig := range []unix.Signal{unix.SIGHUP, unix.SIGCONT} {
		_ = r.process.SignalGroup(sig)
		if group := r.terminal.Foreground(); group > 1 && group != os.Getpid() {
			_ = unix.Kill(-group, sig)
		}
	}
}
