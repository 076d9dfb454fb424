package console

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/pairing"
)

// desk is where passkeys are.
func (s *Server) desk() *pairing.Desk { return pairing.Open(s.inbox.Approvals) }

// URL returns the link that lets the next browser in. It is good once.
func (s *Server) URL() string {
	s.link.mu.Lock()
	defer s.link.mu.Unlock()
	return s.base + "/" + s.link.token + "/"
}

// enter answers a request with a path of a link or of a session that there is none of. It lets the
// browser in that opens the link.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) error {
	token, isLink := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case isAhead(r):
		return errAhead
	case !isLink || r.Method != http.MethodGet:
		return errSession
	}
	if s.sessions.has(token) && len(r.CookiesNamed(s.cookieName())) == 0 {
		return errCookie
	}
	ok, err := s.link.use(token, s.random)
	if err != nil {
		return err
	}
	if !ok {
		return errSession
	}
	// the old one is of no use now, whatever comes of it
	defer func() {
		s.say("For the next browser:")
		s.say(s.URL())
	}()
	v, err := s.letIn(w, entrant{device: deviceOf(r.UserAgent()), how: "link"})
	if err != nil {
		s.say("A browser with the link was not let in: " + err.Error())
		return err
	}
	http.Redirect(w, r, v.root(), http.StatusSeeOther)
	return nil
}

// letIn begins a session, records it, and gives its cookie to the browser.
func (s *Server) letIn(w http.ResponseWriter, who entrant) (visit, error) {
	session, gone, err := s.sessions.begin(s.random, s.now(), who)
	if err != nil {
		return visit{}, err
	}
	s.left(gone, "another one took its place")
	if err := s.desk().Seen(approval.Visitor{Did: "began", ID: session.id, How: who.how,
		Device: who.String()}); err != nil {
		s.sessions.endOf(session.id)
		return visit{}, err
	}
	s.say(fmt.Sprintf("%s is let in, by %s. If it is not yours, press Ctrl-C, or end it on the "+
		"page \"Devices\".", who, who.how))
	v := visit{s, session}
	http.SetCookie(w, s.cookie(v.root(), session.cookie, int(wholeLife.Seconds())))
	return v, nil
}

// cookie is that of the session with a path.
func (s *Server) cookie(path, value string, seconds int) *http.Cookie {
	return &http.Cookie{Name: s.cookieName(), Value: value, Path: path, MaxAge: seconds,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.isSecure()}
}

func (s *Server) isSecure() bool { return strings.HasPrefix(s.base, "https:") }

// cookieName is the name of the cookie. Browsers take one with this prefix only over https.
func (s *Server) cookieName() string {
	if s.isSecure() {
		return "__Secure-session"
	}
	return "session"
}

// left records that a session has ended; nil is none.
func (s *Server) left(gone *session, why string) {
	if gone == nil {
		return
	}
	if err := s.desk().Seen(approval.Visitor{Did: "ended", ID: gone.id, How: gone.how,
		Device: gone.String(), Why: why}); err != nil {
		s.say("the end of a session is not recorded: " + err.Error())
	}
}

// strange records that a browser without a session was refused, unless there are too many of that.
func (s *Server) strange(r *http.Request, how string, why error) {
	few, last := s.strangers.failed(r, s.now())
	if !few || errors.Is(why, errAhead) {
		return
	}
	_ = s.desk().Seen(approval.Visitor{Did: "refused", How: how, Why: briefly(why),
		Device: deviceOf(r.UserAgent())}) // it is refused all the same
	if last {
		s.say("Many attempts to get in have failed; see: tadactl log --kind console.session")
	}
}

// briefly is an error for the record: others may have written parts of it.
func briefly(err error) string { return render.Inert(fmt.Sprintf("%.200s", err)) }

// sweep ends the sessions whose time is over, and those of passkeys that were revoked.
func (s *Server) sweep() {
	for _, k := range s.sessions.list() {
		if why := s.ends(k); why != "" {
			s.left(s.sessions.endOf(k.id), why)
		}
	}
}

// ends returns why a session may not go on, or "".
func (s *Server) ends(k known) string {
	if why := k.over(s.now()); why != "" {
		return why
	}
	if len(k.passkey) == 0 {
		return ""
	}
	if paired, err := s.desk().IsPaired(k.passkey); err != nil {
		return "the passkeys cannot be read"
	} else if !paired {
		return "its passkey was revoked"
	}
	return ""
}
