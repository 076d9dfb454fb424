package control

import (
	"fmt"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// control writes an entry about the control of the session, and marks the place in the transcript.
func (d *Server) control(kind string, durable audit.Durability, label string, body Body) {
	body["epoch"] = int64(d.lease.Epoch())
	_ = d.Host.Record(kind, body, durable)
	_ = d.Host.Mark(label)
}

// did records what a client did.
func (s *client) did(kind string, durable audit.Durability, what string, body Body) {
	body["by"] = s.who
	if s.device != "" {
		body["device"] = s.device
	}
	s.d.control(kind, durable, s.name()+" "+what, body)
}

// discarded says on both sides that input did not reach the program.
func (d *Server) discarded(s *client, by string, n int) {
	_ = d.Host.Mark(fmt.Sprintf("discarded %s typed by %s", audit.Plural(n, "byte"), by))
	s.tell(wire.Notice{Code: wire.CodeDiscarded, Bytes: n, By: d.lease.Taken(),
		Message: "input typed before control changed was discarded"})
}

// turned is called after every change of the lease: input under way for another situation is
// discarded, and all clients are notified.
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
		driver := d.clients[d.lease.Driver()]
		if !d.over && d.lease.Expire(d.Host.Now()) {
			d.lost(driver, "no key was pressed for "+d.lease.Idle.String())
			return
		}
		d.rearm()
	})
}

// lost freezes a session whose driver is gone while the starter is there.
func (d *Server) lost(driver *client, why string) {
	d.publish()
	d.watch = nil
	d.Process.Freeze()
	body := Body{"by": "", "lost": driver.who, "why": why}
	if driver.device != "" {
		body["device"] = driver.device
	}
	who := driver.name()
	d.control(kindFrozen, audit.Durable, "frozen: "+who+" disconnected", body)
	d.turned()
	for _, s := range d.clients {
		s.tell(wire.Notice{Code: wire.CodeFrozen, By: who,
			Message: fmt.Sprintf("frozen: %s had control, but %s; a person can take over", who,
				why)})
		s.redraw()
	}
}

// publish ends the private mode. What was shown in private stays out of the model that others are
// shown, and so does its place on the screen.
func (d *Server) publish() {
	if !d.private.Load() {
		return
	}
	d.private.Store(false)
	d.control(kindOpen, audit.Durable, "no longer private", Body{})
	d.open.Write([]byte("\r\n\x1b[0m(private part, not shown)\r\n"))
	d.open.Told, d.full = d.told, d.open
	for _, s := range d.clients {
		s.redraw()
	}
}

// ownUp ends what a driver who left had begun.
func (d *Server) ownUp() {
	d.publish()
	d.watch = nil
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
