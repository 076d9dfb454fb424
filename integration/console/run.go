package console

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/export"
	"github.com/tada-run/tada-run/launcher"
)

// A ran is what the page of a run shows.
type ran struct {
	ID, Command, Unproven string
	Facts                 []export.Fact
	Recorded              bool // it has a transcript
	Output                string
	NoOutput              string // why there is none here
	Cut                   bool   // the output is only the last part
	Diff                  []diffLine
	Connections, Entries  [][]string
}

// mostEntries is how many entries and connections the page of a run has.
const mostEntries = 200

// run shows one run: what it was, what it printed so far, changed and contacted, and what the log
// says about it.
func (s *Server) run(w http.ResponseWriter, r *http.Request, id string) {
	p, err := s.past(id)
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	v := ran{ID: p.ID, Command: render.Inert(cmp.Or(p.Inside, p.Command)),
		Unproven: render.Inert(p.Unproven), Facts: factsOf(p)}
	v.Recorded = s.inbox.HasTranscript(p.ID)
	if v.Recorded {
		v.Output, v.Cut, v.NoOutput = s.output(r.Context(), p.ID)
	}
	v.Diff = s.diff(p)
	connections, more, err := s.inbox.Connections(p)
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	v.Connections = connectionRows(connections, more)
	for e, err := range s.inbox.About(p) {
		var bad *audit.BadEntry
		switch {
		case errors.As(err, &bad): // audit verify names it
			continue
		case err != nil:
			s.refuse(w, http.StatusInternalServerError, err)
			return
		case len(v.Entries) == mostEntries:
			v.Entries = append(v.Entries, []string{"", "", "and more: tadactl show " + p.ID})
		}
		if len(v.Entries) > mostEntries {
			break
		}
		v.Entries = append(v.Entries, []string{strconv.FormatInt(e.Seq, 10),
			e.Time.Local().Format(time.DateTime), e.Kind})
	}
	s.show(w, http.StatusOK, "run", view{Title: "tada-run: " + p.ID, Here: "runs", Live: "events",
		Body: v})
}

// connectionRows are the cells of the table of connections.
func connectionRows(list []launcher.PastConnection, more int) (rows [][]string) {
	if len(list) > mostEntries {
		more += len(list) - mostEntries
		list = list[:mostEntries]
	}
	for _, c := range list {
		result := "allowed"
		switch {
		case c.Refused:
			result = "refused: " + c.Why
		case c.Error != "":
			result = c.Error
		case c.Sent != nil && c.Received != nil:
			result = fmt.Sprintf("sent %d, received %d", *c.Sent, *c.Received)
		}
		rows = append(rows, []string{c.Time.Local().Format(time.TimeOnly), render.Inert(c.Host),
			render.Inert(c.Address), render.Inert(filepath.Base("/" + c.Program)),
			render.Inert(result)})
	}
	if more > 0 {
		rows = append(rows, []string{"", fmt.Sprintf("and %d more", more), "", "", ""})
	}
	return rows
}
