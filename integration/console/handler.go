package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tada-run/tada-run/approval"
)

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	headers(w.Header())
	outside := visit{Server: s}
	if err := s.guard(r); err != nil {
		outside.refuse(w, http.StatusForbidden, err)
		return
	}
	path, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !isSecret.MatchString(path) {
		s.public.ServeHTTP(w, r)
		return
	}
	cookies := []string{}
	for _, c := range r.CookiesNamed(s.cookieName()) {
		cookies = append(cookies, c.Value)
	}
	session, k := s.sessions.find(path, cookies, s.now())
	if session == nil {
		if err := s.enter(w, r); err != nil {
			s.strange(r, "link", err)
			outside.doors(w, http.StatusForbidden, err.Error())
		}
		return
	}
	if why := s.ends(k); why != "" {
		s.left(s.sessions.endOf(session.id), why)
		outside.doors(w, http.StatusForbidden, errSession.Error())
		return
	}
	keep(r)
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), visited{}, session))
	defer cancel()
	// what takes long, such as a stream, does not outlive the session
	defer context.AfterFunc(session.ctx, cancel)()
	r = r.WithContext(ctx)
	r.URL.Path, r.URL.RawPath = "/"+rest, ""
	s.pages.ServeHTTP(w, r)
}

// isSecret is the first part of a path that is a session or a link.
var isSecret = regexp.MustCompile(`^[0-9a-f]{64}$`)

// visited is what a request's context has its session under.
type visited struct{}

// with is a page as a handler.
func (s *Server) with(p page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		session, _ := r.Context().Value(visited{}).(*session)
		p(visit{s, session}, w, r)
	}
}

// answer handles a form.
func (s visit) answer(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if status, err := s.readForm(w, r, id); err != nil {
		s.refuse(w, status, err)
		return
	}
	plan := r.PostForm.Get("plan")
	e, err := s.envelope(r.Context(), id)
	switch {
	case err != nil:
		s.refuse(w, http.StatusConflict, err)
		return
	case e.PlanHash != plan:
		s.refuse(w, http.StatusConflict,
			fmt.Errorf("question %q changed; reload the page and read it again", id))
		return
	}
	lasts, err := s.grantOf(e, r.PostForm.Get(fieldLasts))
	if err != nil && approves(r) {
		s.refuse(w, http.StatusConflict, err)
		return
	}
	if approves(r) {
		if err := s.takeCode(id, plan, r.PostForm.Get("code")); err != nil {
			s.refuseTo(w, http.StatusForbidden, err, "q/"+id, "back to the question")
			return
		}
	}
	d, word := s.decision(r, e)
	d.Via.Device = s.device()
	if err := s.decide(r.Context(), d, lasts); err != nil {
		s.say(fmt.Sprintf("%s  answer not accepted: %v", id, err))
		if f, ok := approval.Explain(err); ok {
			err = errors.New(f.Message)
		}
		if approves(r) {
			s.renew(r.Context(), id)
		}
		s.refuseTo(w, http.StatusConflict, err, "q/"+id, "back to the question")
		return
	}
	if lasts != nil && approves(r) {
		word += " and remembered"
	}
	s.questions.changed()
	s.say(fmt.Sprintf("%s  %s", id, word))
	s.done(w, id, word)
}

// readForm reads the answer to a question. An error comes with the status for it.
func (s visit) readForm(w http.ResponseWriter, r *http.Request, id string) (int, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return http.StatusBadRequest, fmt.Errorf("read the form: %w", err)
	}
	if a := r.PostForm.Get("answer"); a != "approve" && a != "deny" {
		return http.StatusBadRequest, fmt.Errorf("%.20q is neither approve nor deny", a)
	}
	if n := utf8.RuneCountInString(r.PostForm.Get("message")); n > approval.MaxMessage {
		return http.StatusBadRequest, fmt.Errorf("the message has %d characters; at most %d", n,
			approval.MaxMessage)
	}
	if !s.proves(r.PostForm.Get("proof"), id, r.PostForm.Get("plan")) {
		return http.StatusForbidden, errForm
	}
	return 0, nil
}
