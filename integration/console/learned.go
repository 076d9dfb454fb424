package console

import (
	"errors"
	"net/http"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/replay"
)

// How far the page of what can be learned looks back, as tadactl policy learn does.
const (
	learnFrom = 7 * 24 * time.Hour
	unusedFor = 90 * 24 * time.Hour
	// mostAlso is how many other runs are named that a rule would have allowed.
	mostAlso = 10
)

var errLearning = errors.New("this is being worked out already; try again in a moment")

// learned shows which rules would have spared questions, and what of the rules nobody needs. It
// accepts none of them: that widens what may run, and needs the terminal.
func (s visit) learned(w http.ResponseWriter, r *http.Request) {
	if !s.learning.TryLock() { // it reads all of some days
		s.refuse(w, http.StatusServiceUnavailable, errLearning)
		return
	}
	defer s.learning.Unlock()
	now := s.now()
	l, err := s.inbox.Fresh()
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	lessons, err := l.Recorded().Learned(now.Add(-learnFrom))
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	unneeded, known, err := l.Recorded().Unneeded(r.Context(), now.Add(-unusedFor))
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	var rows []g.Node
	for _, p := range lessons.Rules {
		rows = append(rows, proposal(p))
	}
	left := g.Group{}
	for _, skip := range lessons.Left {
		left = append(left, h.P(h.Class("soft"), g.Textf("no rule for %s: %s",
			audit.Plural(skip.Count, "answered question"), render.Inert(skip.Why))))
	}
	s.show(w, http.StatusOK, view{title: "tada-run: learned", here: "policy", body: g.Group{
		h.H1(g.Text("What could spare you questions")),
		h.P(g.Text("Rules that fit what you answered with yes in the last 7 days. To accept "+
			"some of them, at a terminal: "), h.Code(g.Text("tadactl policy learn"))),
		entries(rows, "no rule would have spared a question that you answered with yes"), left,
		g.If(known, g.Group{h.H2(g.Text("Not needed for 90 days")),
			entries(s.unneeded(unneeded), "everything that is allowed was needed")})}})
}

// proposal is one rule with what speaks for it.
func proposal(p replay.Proposal) g.Node {
	line := func(word, text string) g.Node {
		return h.Div(h.Span(h.Class("soft"), g.Text(word+" ")), h.Code(g.Text(render.Inert(text))))
	}
	told := "allowed " + audit.Plural(p.Asked, "time") + ", last on " +
		p.Last.Local().Format(time.DateOnly)
	if p.Last.IsZero() {
		told = "refused " + audit.Plural(p.Asked, "time")
	}
	evidence := g.Group{}
	for _, text := range p.Examples {
		evidence = append(evidence, line("for", text))
	}
	for i, e := range p.Also {
		if i == mostAlso {
			evidence = append(evidence, h.Div(h.Class("soft"),
				g.Textf("and %d more", len(p.Also)-i)))
			break
		}
		evidence = append(evidence, line("also, which you have not answered", e.Command))
	}
	return h.Li(h.Div(h.Code(h.Class("command"), g.Text(render.Inert(p.Key+": ["+p.Rule+"]"))),
		h.Span(h.Class("meta"), g.Text(told)), evidence, line("could allow", p.AtMost)))
}

// unneeded are what is allowed and was not used.
func (s visit) unneeded(u replay.Unneeded) (rows []g.Node) {
	row := func(text, how string) {
		rows = append(rows, entry("", h.Code(h.Class("command"), g.Text(render.Inert(text))),
			render.Inert(how)))
	}
	for _, r := range u.Rules {
		row(r.Key+": ["+r.Entry+"]", r.Source)
	}
	for _, r := range u.Registries {
		row("network.registries: "+r, "to leave it out: tadactl policy edit")
	}
	return append(rows, s.grantRows(u.Grants)...)
}
