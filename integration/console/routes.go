package console

import (
	"fmt"
	"net/http"
)

// inside are the pages of a session and what they post, below its path.
func (s *Server) inside() http.Handler {
	return s.mux(map[string]page{
		"GET /{$}":                    visit.list,
		"GET /q/{id}":                 visit.question,
		"POST /q/{id}":                visit.answer,
		"GET /m/{machine}/{id}":       visit.distant,
		"POST /m/{machine}/{id}":      visit.distantAnswer,
		"GET /runs":                   visit.runs,
		"GET /run/{id}":               visit.run,
		"GET /run/{id}/replay":        visit.replay,
		"GET /run/{id}/replay/socket": visit.replaySocket,

		"GET /run/{id}/undo":            visit.undo,
		"POST /undo":                    visit.undoPosted,
		"GET /run/{id}/terminal":        visit.terminal,
		"GET /run/{id}/terminal/socket": visit.terminalSocket,

		"GET /policy":              visit.policy,
		"GET /policy/learned":      visit.learned,
		"POST /grants/{id}/revoke": visit.revoke,

		"GET /devices":       visit.devices,
		"POST /devices/end":  visit.endSession,
		"GET /notifications": visit.notifications,
		"GET /events":        visit.events,
		"/":                  visit.nothing,
	}, map[string]ceremony{
		"assert/begin": visit.assertBegin, "assert/finish": visit.assertFinish,
		"act/begin": visit.actBegin, "act/code": visit.actCode,
		"notify/add": visit.notifyAdd, "notify/remove": visit.notifyRemove,
		"notify/state": visit.notifyState, "notify/test": visit.notifyTest,
	})
}

// outside is what a browser without a session gets: nothing that a command or a person has written.
func (s *Server) outside() http.Handler {
	pages := map[string]page{
		"GET /{$}":  visit.entrance,
		"GET /pair": visit.pair,
		"/":         visit.nobody,
	}
	for name := range public {
		pages["GET /"+name] = visit.file
	}
	return s.mux(pages, map[string]ceremony{
		"sign-in/begin": visit.signInBegin, "sign-in/finish": visit.signInFinish,
		"pair/begin": visit.pairBegin, "pair/finish": visit.pairFinish,
	})
}

func (s *Server) mux(pages map[string]page, ceremonies map[string]ceremony) http.Handler {
	mux := http.NewServeMux()
	for path, p := range pages {
		mux.HandleFunc(path, s.with(p))
	}
	for path, do := range ceremonies {
		mux.HandleFunc("POST /"+path, s.with(
			func(v visit, w http.ResponseWriter, r *http.Request) { v.post(w, r, do) }))
	}
	return mux
}

// nothing answers for what is not there.
func (s visit) nothing(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		s.refuse(w, http.StatusForbidden, errMethod)
		return
	}
	s.refuse(w, http.StatusNotFound, fmt.Errorf("no page %.80q", r.URL.Path[1:]))
}

// events keeps a page up to date.
func (s visit) events(w http.ResponseWriter, r *http.Request) {
	if err := s.live.serve(w, r); err != nil {
		s.refuse(w, http.StatusServiceUnavailable, err)
	}
}
