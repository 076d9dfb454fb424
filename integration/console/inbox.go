package console

import (
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
)

// listRoom is how many characters of a question's commands the list shows: enough to choose from.
// The page of the question shows all.
const listRoom = 400

// A row is a question in the list.
type row struct {
	ID, Agent    string
	Asked, Votes string
	Risk         int
	Calls        [][]piece
}

// A piece is a part of a command, or how many characters were left out.
type piece struct {
	Text string
	Cut  int
}

// list shows the open questions.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	list, err := s.open(r.Context())
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	rows := []row{}
	for _, e := range list {
		rows = append(rows, s.row(e))
	}
	s.show(w, http.StatusOK, "inbox", view{Title: fmt.Sprintf("(%d) tada-run", len(list)),
		Here: "inbox", Live: "events", Body: rows})
}

func (s *Server) row(e approval.Envelope) row {
	q := row{ID: e.ID, Agent: render.Inert(e.Agent), Risk: e.Risk,
		Asked: "asked " + ago(s.now().Sub(e.Issued))}
	if e.Quorum > 1 {
		q.Votes = fmt.Sprintf("%d of %d approvals", e.Votes, e.Quorum)
	}
	for _, call := range render.Summary(e.Payload, listRoom) {
		var pieces []piece
		for _, p := range call.Pieces {
			pieces = append(pieces, piece{render.Inert(p.Text), p.Cut})
		}
		q.Calls = append(q.Calls, pieces)
	}
	return q
}

// ago is a duration for a person.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return audit.Plural(int(d.Minutes()), "minute") + " ago"
	}
	return audit.Plural(int(d.Hours()), "hour") + " ago"
}

// The width of a question in columns, in a window and on a telephone.
const pageWidth, narrowWidth = 100, 40

// An asked question is what its page shows: its first page in two widths, everything, and what the
// form needs.
type asked struct {
	ID, Title, Plan, Proof string
	Risk                   int
	Wide, Narrow, Full     template.HTML
	Open                   bool // everything is shown, because the first page lacks something
	Factor                 bool
	Calls                  []string
}

// The lengths of what is typed.
func (asked) CodeLength() int { return codeLength }
func (asked) MaxMessage() int { return approval.MaxMessage }

// question shows one question and the form. Nothing on this page runs.
func (s *Server) question(w http.ResponseWriter, r *http.Request, id string) {
	e, err := s.envelope(r.Context(), id)
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	first, err := s.inbox.Page(e.Payload, pageWidth, false)
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	narrow, err := s.inbox.Page(e.Payload, narrowWidth, false)
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	s.mu.Lock()
	if s.shown[e.ID].IsZero() {
		s.shown[e.ID] = s.now()
	}
	s.mu.Unlock()
	q := asked{ID: e.ID, Title: "A question", Plan: e.PlanHash, Proof: s.proof(e.ID, e.PlanHash),
		Risk: e.Risk, Wide: markup(first, e.After()), Narrow: markup(narrow, e.After()),
		Full: markup(render.Render(e.Payload, render.Options{Width: pageWidth, Full: true}), ""),
		Open: first.Truncated, Factor: e.Friction.Factor && e.Quorum < 2}
	if e.Agent != "" {
		q.Title = "A question of " + render.Inert(e.Agent)
	}
	if len(e.Calls) > 1 {
		q.Calls = e.Calls
	}
	s.show(w, http.StatusOK, "question", view{Title: "tada-run: " + e.ID, Here: "inbox", Body: q})
}

// classes are the names of the tones in the style sheet.
var classes = [...]string{render.Body: "", render.Label: "label", render.Low: "low",
	render.High: "high", render.Critical: "critical", render.Danger: "danger",
	render.Lost: "lost", render.Kept: "kept"}

// markup returns a page as text nodes, in the colours of its tones, and a text after it.
func markup(p render.Page, after string) template.HTML {
	var b strings.Builder
	for _, line := range p.Spans {
		for _, s := range line {
			if class := classes[s.Tone]; class != "" {
				fmt.Fprintf(&b, "<span class=%s>%s</span>", class,
					template.HTMLEscapeString(s.Text))
			} else {
				b.WriteString(template.HTMLEscapeString(s.Text))
			}
		}
		b.WriteByte('\n')
	}
	return template.HTML(b.String() + template.HTMLEscapeString(after))
}
