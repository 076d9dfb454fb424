package launcher

// A hosting is what makes a run a session: others attach to it from outside, and those inside ask.
// nil is that of a single command.
type hosting struct {
	attached *desk
	requests *requestServer
	orders   chan struct{} // a person has ended the session
}

func newHosting(s *started) *hosting {
	return &hosting{newDesk(s), newRequestServer(s, s.console.requests), make(chan struct{}, 1)}
}

// open begins to answer those inside and outside. Nothing has run yet.
func (h *hosting) open() error {
	h.requests.open()
	err := h.attached.serve()
	if err != nil {
		h.requests.close()
	}
	return err
}

// ordered is told when a person has ended the session; never for a single command.
func (h *hosting) ordered() <-chan struct{} {
	if h == nil {
		return nil
	}
	return h.orders
}

// close ends what is asked from inside and outside. What comes from here on is about a session that
// has ended.
func (h *hosting) close() {
	if h != nil {
		h.attached.close()
		h.requests.close()
	}
}

// end tells those who are attached that the session is over.
func (h *hosting) end(status, signal int) {
	if h != nil {
		h.attached.end(status, signal)
	}
}
