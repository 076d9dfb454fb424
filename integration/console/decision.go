package console

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/permit"
)

// decide stores an answer; an approval may be one that lasts.
func (s *Server) decide(ctx context.Context, d approval.Decision,
	lasts *approval.GrantRequest) error {
	if lasts == nil || !permit.Approves(d.Calls) {
		return s.inbox.Decide(ctx, d)
	}
	_, err := s.inbox.DecideStanding(ctx, d, *lasts)
	return err
}

// approves reports whether a form is more than a denial.
func approves(r *http.Request) bool { return r.PostForm.Get("answer") == "approve" }

// decision reads the answer from the form. The code replaces the characters of a challenge: the
// agent can see neither.
func (s visit) decision(r *http.Request, e approval.Envelope) (d approval.Decision, word string) {
	message := strings.TrimSpace(r.PostForm.Get("message"))
	if !approves(r) {
		return permit.Answer(e, false, message, "web"), "denied"
	}
	d = permit.Answer(e, true, "", "web")
	d.Paged, d.Challenge, d.Code = true, e.Challenge, strings.TrimSpace(r.PostForm.Get("factor"))
	d.Took = s.since(e.ID)
	if len(e.Calls) > 1 {
		for i, c := range d.Calls {
			if d.Calls[i].Approved = r.PostForm.Get("call "+c.ID) == "yes"; !d.Calls[i].Approved {
				d.Calls[i].Message = message
			}
		}
	}
	if !permit.Approves(d.Calls) {
		return permit.Answer(e, false, message, "web"), "denied"
	}
	if e.Votes+1 < e.Quorum {
		return d, "counted; more approvals needed"
	}
	return d, "approved"
}

// renew gives a question a new code after an approval that was not accepted. Wrong codes count on.
func (s *Server) renew(ctx context.Context, id string) {
	s.mu.Lock()
	if c := s.codes[id]; c != nil {
		s.codes[id] = &code{wrong: c.wrong}
	}
	s.mu.Unlock()
	_ = s.announce(ctx)
}

// seen notes that the page of a question was served.
func (s *Server) seen(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown[id].IsZero() {
		s.shown[id] = s.now()
	}
}

// since is how long ago the page of a question was first served.
func (s *Server) since(id string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown[id].IsZero() {
		return 0
	}
	return s.now().Sub(s.shown[id])
}
