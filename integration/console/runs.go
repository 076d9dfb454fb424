package console

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher"
)

// mostRuns is how many runs the list has, and mostSought how many are looked at for it.
const (
	mostRuns   = 50
	mostSought = 20_000
)

// A listed run is one line of the list.
type listed struct{ ID, State, Word, Command, Agent, Dir, Began, Changes string }

// listedRuns is what the list shows.
type listedRuns struct {
	Text string
	Runs []listed
	More bool
}

// runs shows the newest runs, the newest first, and before them those that are still open.
func (s *Server) runs(w http.ResponseWriter, r *http.Request) {
	v := listedRuns{Text: r.FormValue("text")}
	chosen := func(p launcher.Past) bool {
		return strings.Contains(p.Command+"\n"+p.Dir+"\n"+p.Agent, v.Text)
	}
	var list []launcher.Past
	sought := 0
	for p, err := range s.inbox.Newest(time.Time{}) {
		if err != nil {
			s.refuse(w, http.StatusInternalServerError, err)
			return
		}
		if sought++; len(list) == mostRuns || sought > mostSought || r.Context().Err() != nil {
			v.More = true
			break
		}
		if chosen(p) {
			list = append(list, p)
		}
	}
	if v.More {
		open, err := s.inbox.Open(list)
		if err != nil {
			s.refuse(w, http.StatusInternalServerError, err)
			return
		}
		for _, p := range open {
			if chosen(p) {
				v.Runs = append(v.Runs, listedRun(p))
			}
		}
	}
	for _, p := range list {
		v.Runs = append(v.Runs, listedRun(p))
	}
	s.show(w, http.StatusOK, "runs", view{Title: "tada-run: runs", Here: "runs", Live: "events",
		Body: v})
}

func listedRun(p launcher.Past) listed {
	return listed{ID: p.ID, State: p.State, Word: stateOf(p),
		Command: render.Inert(cmp.Or(p.Inside, p.Command)), Agent: render.Inert(p.Agent),
		Dir: render.Inert(p.Dir), Began: p.Began.Local().Format(time.DateTime),
		Changes: p.RunChanges.String()}
}
