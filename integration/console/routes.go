package console

import (
	"fmt"
	"net/http"
)

// routes are the pages and what they post, under the token.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for path, page := range map[string]http.HandlerFunc{
		"GET /{$}":                 s.list,
		"GET /q/{id}":              s.question,
		"POST /q/{id}":             s.answer,
		"GET /runs":                s.runs,
		"GET /run/{id}":            s.run,
		"GET /run/{id}/replay":     s.replay,
		"GET /policy":              s.policy,
		"GET /policy/learned":      s.learned,
		"POST /grants/{id}/revoke": s.revoke,
		"GET /pair":                s.pair,
		"GET /events":              s.events,
		"/":                        s.nothing,
	} {
		mux.HandleFunc(path, page)
	}
	for path, do := range map[string]ceremony{
		"pair/begin": s.pairBegin, "pair/finish": s.pairFinish,
		"assert/begin": s.assertBegin, "assert/finish": s.assertFinish,
	} {
		mux.HandleFunc("POST /"+path, func(w http.ResponseWriter, r *http.Request) {
			s.post(w, r, do)
		})
	}
	return mux
}

// nothing answers for what is not there.
func (s *Server) nothing(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		s.refuse(w, http.StatusForbidden, errMethod)
		return
	}
	s.refuse(w, http.StatusNotFound, fmt.Errorf("no page %.80q", r.URL.Path[1:]))
}

// events keeps a page up to date.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	if err := s.live.serve(w, r); err != nil {
		s.refuse(w, http.StatusServiceUnavailable, err)
	}
}
