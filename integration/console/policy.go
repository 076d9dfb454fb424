package console

import (
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
)

// policy shows what is granted, and the policy in force outside of any workspace.
func (s visit) policy(w http.ResponseWriter, r *http.Request) {
	list, err := s.inbox.Grants(r.Context())
	var text strings.Builder
	if err == nil {
		err = s.inbox.Policy().Describe(&text)
	}
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	var grants []g.Node
	for _, grant := range list {
		grants = append(grants, entry("",
			h.Code(h.Class("command"), g.Text(render.Inert(whatOf(grant)))), usesOf(grant),
			"to revoke: tadactl grants revoke "+grant.ID))
	}
	s.show(w, http.StatusOK, view{title: "tada-run: policy", here: "policy", body: g.Group{
		h.H1(g.Text("Policy")), h.H2(g.Text("Grants")), entries(grants, "no grants"),
		h.H2(g.Text("In force")), preformatted(g.Text(inertLines(text.String())))}})
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
