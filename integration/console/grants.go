package console

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
)

// grantRows are what is granted, each with a button that ends it.
func (s visit) grantRows(list []approval.Grant) (rows []g.Node) {
	for _, grant := range list {
		rows = append(rows, h.Li(h.Div(
			h.Code(h.Class("command"), g.Text(render.Inert(whatOf(grant)))),
			h.Span(h.Class("meta"), h.Span(g.Text(usesOf(grant))),
				h.Span(g.Text("by "+render.Inert(grant.Approver)))),
			h.Form(h.Method("post"), h.Action(s.root()+"grants/"+grant.ID+"/revoke"),
				h.Input(h.Type("hidden"), h.Name("proof"), h.Value(s.proof("revoke", grant.ID))),
				h.Button(h.Class("deny"), g.Text("Revoke"))))))
	}
	return rows
}

// revoke ends a grant. That only narrows what may run, so it needs no code.
func (s visit) revoke(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		s.refuse(w, http.StatusBadRequest, fmt.Errorf("read the form: %w", err))
		return
	}
	if !s.proves(r.PostForm.Get("proof"), "revoke", id) {
		s.refuse(w, http.StatusForbidden, errForm)
		return
	}
	why := fmt.Sprintf("revoked on the page by %s, %s", permit.Person(), s.device())
	if _, err := s.inbox.Revoke(r.Context(), approval.ChannelWeb, id, why); err != nil {
		s.refuse(w, http.StatusConflict, err)
		return
	}
	s.say("revoked grant " + id + " from the page")
	s.show(w, http.StatusOK, view{title: "tada-run", here: "policy", body: g.Group{
		h.P(g.Text("revoked: " + id)),
		h.P(h.A(h.Href(s.root()+"policy"), g.Text("back to the policy")))}})
}

// whatOf is what a grant covers.
func whatOf(grant approval.Grant) string {
	if choice, ok := plan.Chosen(grant.Payload); ok {
		return fmt.Sprintf("%s in %s", choice.Text(), choice.Dir)
	}
	var parts []string
	for _, call := range render.Summary(grant.Payload, listRoom) {
		for _, p := range call.Pieces {
			parts = append(parts, p.Text)
		}
	}
	return strings.Join(parts, " ")
}

// usesOf is how often a grant was used, and how long it holds.
func usesOf(grant approval.Grant) string {
	if grant.Lasting {
		return fmt.Sprintf("used %s, until it is revoked", audit.Plural(grant.Used, "time"))
	}
	return fmt.Sprintf("used %d of %s, until %s", grant.Used, audit.Plural(grant.Uses, "time"),
		grant.Expires.Local().Format(time.DateTime))
}
