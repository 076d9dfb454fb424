package console

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
)

// A granted line is one grant in the list.
type granted struct{ ID, What, Used string }

// policy shows what is granted, and the policy in force outside of any workspace.
func (s *Server) policy(w http.ResponseWriter, r *http.Request) {
	list, err := s.inbox.Grants(r.Context())
	var text strings.Builder
	if err == nil {
		err = s.inbox.Policy().Describe(&text)
	}
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	var body struct {
		Grants []granted
		Text   string
	}
	for _, g := range list {
		body.Grants = append(body.Grants, granted{g.ID, render.Inert(whatOf(g)), usesOf(g)})
	}
	body.Text = inertLines(text.String())
	s.show(w, http.StatusOK, "policy", view{Title: "tada-run: policy", Here: "policy", Body: body})
}

// whatOf is what a grant covers.
func whatOf(g approval.Grant) string {
	if choice, ok := plan.Chosen(g.Payload); ok {
		return fmt.Sprintf("%s in %s", choice.Text(), choice.Dir)
	}
	var parts []string
	for _, call := range render.Summary(g.Payload, listRoom) {
		for _, p := range call.Pieces {
			parts = append(parts, p.Text)
		}
	}
	return strings.Join(parts, " ")
}

// usesOf is how often a grant was used, and how long it holds.
func usesOf(g approval.Grant) string {
	if g.Lasting {
		return fmt.Sprintf("used %s, until it is revoked", audit.Plural(g.Used, "time"))
	}
	return fmt.Sprintf("used %d of %s, until %s", g.Used, audit.Plural(g.Uses, "time"),
		g.Expires.Local().Format(time.DateTime))
}
