package console

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// A stream tells the pages that are open that something has changed.
type stream struct {
	changed pulse
	open    chan struct{} // one for each page
}

const (
	// lookEach is how often the record is looked at: it is said no sooner that it has grown.
	lookEach = 300 * time.Millisecond
	// timeout is how long a browser may take to send a request, or to receive an event.
	timeout = 10 * time.Second
	// keepAlive is how often a stream without events is written to, so that its end is noticed.
	keepAlive = 15 * time.Second
	// mostStreams is how many pages are kept up to date at once.
	mostStreams = 32
)

var errStreams = fmt.Errorf("%s are kept up to date already", audit.Plural(mostStreams, "page"))

// watch says when what recorded returns has changed, until ctx ends. While no page is open it does
// not look.
func (s *stream) watch(ctx context.Context, recorded func() string) {
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEach):
		}
		if len(s.open) == 0 {
			continue
		}
		if now := recorded(); now != last {
			last = now
			s.changed.beat()
		}
	}
}

// serve writes server-sent events: one for each change. It says nothing about what has changed: a
// page asks for itself again.
func (s *stream) serve(w http.ResponseWriter, r *http.Request) error {
	select {
	case s.open <- struct{}{}:
		defer func() { <-s.open }()
	default:
		return errStreams
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	event := ":\n\n"
	for next := s.changed.wait(); ; {
		_ = out.SetWriteDeadline(time.Now().Add(timeout))
		if _, err := w.Write([]byte(event)); err != nil || out.Flush() != nil {
			return nil
		}
		event = ":\n\n"
		select {
		case <-r.Context().Done():
			return nil
		case <-next:
			next = s.changed.wait()
			event = "event: change\ndata:\n\n"
		case <-time.After(keepAlive):
		}
	}
}

// A pulse tells all who wait that something has changed.
type pulse struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait returns a channel that is closed at the next change.
func (p *pulse) wait() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == nil {
		p.next = make(chan struct{})
	}
	return p.next
}

// beat says that something has changed.
func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next != nil {
		close(p.next)
		p.next = nil
	}
}
