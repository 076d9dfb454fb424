package console

import (
	"fmt"
	"net/http"
	"strings"
)

// URL returns the link that lets the next browser in. It is good once.
func (s *Server) URL() string {
	s.link.mu.Lock()
	defer s.link.mu.Unlock()
	return s.base + "/" + s.link.token + "/"
}

// opened lets the browser in that opens the link, and reports whether the request was that.
func (s *Server) opened(w http.ResponseWriter, r *http.Request) (is bool, err error) {
	if r.Method != http.MethodGet || isAhead(r) {
		return false, nil
	}
	token, isLink := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !isLink {
		return false, nil
	}
	if ok, err := s.link.use(token, s.random); !ok || err != nil {
		return false, err
	}
	from := entrant{device: deviceOf(r.UserAgent()), how: "link"}
	v, err := s.letIn(w, from)
	if err != nil {
		return false, err
	}
	http.Redirect(w, r, v.root(), http.StatusSeeOther)
	s.say(fmt.Sprintf("%s has opened the link. If it was not you, press Ctrl-C. "+
		"The link for the next browser:\n%s", from.device, s.URL()))
	return true, nil
}

// letIn begins a session, and gives its cookie to the browser.
func (s *Server) letIn(w http.ResponseWriter, from entrant) (visit, error) {
	session, _, err := s.sessions.begin(s.random, s.now(), from)
	if err != nil {
		return visit{}, err
	}
	v := visit{s, session}
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Value: session.cookie, Path: v.root(),
		MaxAge: int(wholeLife.Seconds()), HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: s.isSecure()})
	return v, nil
}

func (s *Server) isSecure() bool { return strings.HasPrefix(s.base, "https:") }

// cookieName is the name of the cookie. Browsers take one with this prefix only over https.
func (s *Server) cookieName() string {
	if s.isSecure() {
		return "__Secure-session"
	}
	return "session"
}
