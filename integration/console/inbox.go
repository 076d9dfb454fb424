package console

import (
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"fmt"
	"net/http"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
)

// listRoom is how many characters of a question's commands the list shows: enough to choose from.
// The page of the question shows all.
const listRoom = 400

// list shows the open questions.
func (s visit) list(w http.ResponseWriter, r *http.Request) {
	list, err := s.open(r.Context())
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	var rows []g.Node
	for _, e := range list {
		rows = append(rows, s.row(e))
	}
	v := view{title: fmt.Sprintf("(%d) tada-run", len(list)), here: "inbox", live: true,
		more: ofApp, above: h.H1(g.Text("Questions")), body: entries(rows, "no open questions")}
	if s.hasPasskeys() {
		v.body = g.Group{v.body, h.P(h.A(h.Href(s.root()+"notifications"),
			g.Text("Notify this device when a question waits")))}
	}
	s.show(w, http.StatusOK, v)
}

// row is a question in the list.
func (s visit) row(e approval.Envelope) g.Node {
	what := g.Group{badge(fmt.Sprintf("r%d", e.Risk), fmt.Sprintf("R%d", e.Risk)), g.Text(" "),
		h.Span(h.Class("soft"), g.Text(e.ID))}
	for _, call := range render.Summary(e.Payload, listRoom) {
		pieces := g.Group{}
		for _, p := range call.Pieces {
			if p.Cut > 0 {
				pieces = append(pieces, h.Em(g.Textf(" [%d chars cut] ", p.Cut)))
			}
			pieces = append(pieces, h.Code(g.Text(render.Inert(p.Text))))
		}
		what = append(what, h.Span(h.Class("command"), pieces))
	}
	votes := ""
	if e.Quorum > 1 {
		votes = fmt.Sprintf("%d of %s", e.Votes, audit.Plural(e.Quorum, "approval"))
	}
	return entry(s.root()+"q/"+e.ID, what, render.Inert(e.Agent),
		"asked "+ago(s.now().Sub(e.Issued)), votes)
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
