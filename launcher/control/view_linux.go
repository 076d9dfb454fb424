package control

import (
	"slices"

	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

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

// announce tells every client who the driver is.
func (d *Server) announce() {
	for _, s := range d.clients {
		s.control(d.status(s))
	}
}

// TellAll tells every client what happened. A question is also shown to clients that attach later,
// until a notice says that it is answered.
func (d *Server) TellAll(n wire.Notice) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n.Envelope != "" {
		d.asked = slices.DeleteFunc(d.asked, func(o wire.Notice) bool {
			return o.Envelope == n.Envelope
		})
	}
	if n.Code == wire.CodeAsked {
		d.asked = append(d.asked, n)
	}
	for _, s := range d.clients {
		s.tell(n)
	}
}

// status is the situation as one client sees it.
func (d *Server) status(s *client) wire.Frame {
	cols, rows := d.Terminal.Size()
	driver := ""
	if at := d.clients[d.lease.Driver()]; at != nil {
		driver = at.name()
	}
	return wire.JSON(wire.State, d.lease.Epoch(), wire.Status{
		ID: d.ID, Command: d.Command, Cols: cols, Rows: rows, Driver: driver,
		You: d.lease.Driver() == s.n, Frozen: d.lease.Frozen(), Private: d.private.Load(),
		Viewers: len(d.clients), Tier: d.Tier,
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

// redraw queues the screen as it is, in the place of everything that waits. The Server is locked.
func (s *client) redraw() {
	frames := wire.Append(nil, wire.Frame{Kind: wire.Redraw, Body: s.d.picture(s)})
	s.control(s.d.status(s))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue, s.lost = frames, false
	s.more.Broadcast()
}
