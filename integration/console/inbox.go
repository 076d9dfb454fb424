package console

import (
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
)

// list shows the open questions. A page that has the same list already gets none.
func (s visit) list(w http.ResponseWriter, r *http.Request) {
	list, err := s.questions.list(r.Context())
	own := ""
	if errors.Is(err, approval.ErrOffline) {
		own = "The questions of this machine are not known now: " + err.Error()
	} else if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	notifies := s.hasPasskeys()
	far, away, name := s.others.rows()
	tag := fmt.Sprintf(`"%s %x %t"`, list.name, sha256.Sum256([]byte(own+"\n"+name)), notifies)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	var rows []g.Node
	for _, q := range list.all {
		rows = append(rows, g.Raw(q.row))
	}
	rows = append(rows, far...)
	v := view{title: fmt.Sprintf("(%d) tada-run", len(rows)), here: "inbox", live: true,
		more: ofApp, above: h.H1(g.Text("Questions")), body: g.Group{noteOf(own),
			noteOf(away), entries(rows, "no open questions")}}
	if notifies {
		v.body = g.Group{v.body, h.P(h.A(h.Href(s.root()+"notifications"),
			g.Text("Notify this device when a question waits")))}
	}
	s.show(w, http.StatusOK, v)
}

// row is a question in the list, as markup. Its address is that of the question below the list's.
func (s *Server) row(e approval.Envelope) string {
	risk, in, _ := strings.Cut(s.inbox.Brief(e), " ")
	what := g.Group{badge(fmt.Sprintf("r%d", e.Risk), risk), g.Text(" "),
		h.Span(h.Class("soft"), g.Text(in))}
	for _, call := range render.Summary(e.Payload, listRoom) {
		what = append(what, pieced(call.Pieces))
	}
	votes := ""
	if e.Quorum > 1 {
		votes = fmt.Sprintf("%d of %s", e.Votes, audit.Plural(e.Quorum, "approval"))
	}
	var row strings.Builder
	_ = entry("q/"+e.ID, what, agentOf(e.Agent),
		"asked "+e.Issued.Local().Format("2 Jan 15:04"), votes, shortID(e.ID)).Render(&row)
	return row.String()
}

// agentOf is the name of an agent, and whether only it says so.
func agentOf(name string) string {
	if name, unproven := strings.CutPrefix(name, "?"); unproven {
		return render.Inert(name) + " (name not verified)"
	}
	return render.Inert(name)
}
