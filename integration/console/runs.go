package console

import (
	"context"
	"slices"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

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

// runs shows the newest runs, the newest first, and before them those that are still open.
func (s visit) runs(w http.ResponseWriter, r *http.Request) {
	text := r.URL.Query().Get("text")
	chosen := func(p launcher.Past) bool {
		return strings.Contains(p.Command+"\n"+p.Dir+"\n"+p.Agent, text)
	}
	list, more, err := s.newest(r.Context(), chosen)
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	var rows []g.Node
	for _, p := range list {
		rows = append(rows, s.listed(p))
	}
	s.show(w, http.StatusOK, view{title: "tada-run: runs", here: "runs", live: text == "",
		above: g.Group{h.H1(g.Text("Runs")),
			h.Form(h.Method("get"), h.Action(s.root()+"runs"), h.P(h.Label(
				g.Text("command, folder or agent contains "),
				h.Input(h.Type("search"), h.Name("text"), h.Value(text)))))},
		body: g.Group{entries(rows, "no such runs"),
			g.If(more, h.P(h.Class("soft"), g.Text("older runs: tadactl sessions --all")))}})
}

// newest returns the newest runs that are chosen, the newest first, and before them those that are
// open and older; more is true if there are others.
func (s *Server) newest(ctx context.Context, chosen func(launcher.Past) bool) (list []launcher.Past,
	more bool, err error) {
	sought := 0
	for p, err := range s.inbox.Newest(time.Time{}) {
		if err != nil {
			return nil, false, err
		}
		if sought++; len(list) == mostRuns || sought > mostSought || ctx.Err() != nil {
			more = true
			break
		}
		if chosen(p) {
			list = append(list, p)
		}
	}
	if !more {
		return list, false, nil
	}
	open, err := s.inbox.Open(list)
	open = slices.DeleteFunc(open, func(p launcher.Past) bool { return !chosen(p) })
	return slices.Concat(open, list), true, err
}

// listed is a run in the list.
func (s visit) listed(p launcher.Past) g.Node {
	return entry(s.root()+"run/"+p.ID, g.Group{badge(p.State, stateOf(p)),
		h.Code(h.Class("command"), g.Text(render.Inert(cmp.Or(p.Inside, p.Command))))},
		p.Began.Local().Format(time.DateTime), render.Inert(p.Agent), render.Inert(p.Dir),
		p.RunChanges.String())
}
