package launcher

import "github.com/tada-run/tada-run/launcher/control"

func newHosting(s *started) *hosting {
	return &hosting{control.New(s.session()), newRequestServer(s, s.console.requests)}
}

// open begins to answer those inside and outside. Nothing has run yet.
func (h *hosting) open() error {
	h.requests.Open()
	err := h.attached.Serve()
	if err != nil {
		h.requests.close()
	}
	return err
}

// ordered receives when a person has ended the session; never for a single command.
func (h *hosting) ordered() <-chan struct{} {
	if h == nil {
		return nil
	}
	return h.attached.Killed()
}

// close ends what is asked from inside and outside. What comes from here on is about a session that
// has ended.
func (h *hosting) close() {
	if h != nil {
		h.attached.Close()
		h.requests.close()
	}
}

// end tells the attached clients that the session is over.
func (h *hosting) end(status, signal int) {
	if h != nil {
		h.attached.End(status, signal)
	}
}
