package console

import (
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/past"
)

// mostRows is how many entries and connections the page of a run has.
const mostRows = 200

// run shows one run: what it was, what it printed so far, changed and contacted, and what the log
// says about it.
func (s visit) run(w http.ResponseWriter, r *http.Request) {
	p, err := s.past(r.PathValue("id"))
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	connections, more, err := s.inbox.Connections(p)
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	log, err := s.logRows(p)
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	rows := connectionRows(connections, more)
	facts := g.Group{}
	for _, f := range factsOf(p) {
		facts = append(facts, h.Dt(g.Text(f.Name)), h.Dd(g.Text(f.Value)))
	}
	s.show(w, http.StatusOK, view{title: "tada-run: " + p.ID, here: "runs", live: true,
		above: titleOf(p),
		body: g.Group{
			g.If(p.Unproven != "", h.P(h.Class("note"), g.Text(render.Inert(p.Unproven)))),
			s.terminalLink(p), h.Dl(facts), s.printed(r.Context(), p), s.changes(p),
			g.If(len(rows) > 0, g.Group{h.H2(g.Text("Network")),
				table([]string{"time", "host", "address", "program", "result"}, rows)}),
			h.H2(g.Text("Log")), table([]string{"entry", "time", "kind"}, log)}})
}

// logRows are the cells of the table of what the log says about a run.
func (s *Server) logRows(p past.Run) (rows [][]string, err error) {
	for e, err := range s.inbox.About(p) {
		var bad *audit.BadEntry
		switch {
		case errors.As(err, &bad): // audit verify names it
			continue
		case err != nil:
			return nil, err
		case len(rows) == mostRows:
			return append(rows, []string{"", "", "and more: tadactl show " + p.ID}), nil
		}
		rows = append(rows, []string{strconv.FormatInt(e.Seq, 10),
			e.Time.Local().Format(time.DateTime), e.Kind})
	}
	return rows, nil
}

// connectionRows are the cells of the table of connections.
func connectionRows(list []past.Connection, more int) (rows [][]string) {
	if len(list) > mostRows {
		more += len(list) - mostRows
		list = list[:mostRows]
	}
	for _, c := range list {
		rows = append(rows, []string{c.Time.Local().Format(time.TimeOnly), render.Inert(c.Host),
			render.Inert(c.Address), render.Inert(filepath.Base("/" + c.Program)),
			render.Inert(c.Result())})
	}
	if more > 0 {
		rows = append(rows, []string{"", fmt.Sprintf("and %d more", more), "", "", ""})
	}
	return rows
}
