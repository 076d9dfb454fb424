package console

import (
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/integration/distant"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// rows are the questions of other machines in the list of questions, or why they are not known, and
// a name for all of it.
func (e *others) rows() (rows []g.Node, away, name string) {
	list := e.now()
	if list.Away != nil {
		away = "The questions of other machines are not known now: " + list.Away.Error()
		return nil, away, away
	}
	for _, q := range list.Questions {
		name += q.ID() + " "
		rows = append(rows, farRow(q))
	}
	return rows, "", name
}

// noteOf is a line above the list; nothing for "".
func noteOf(text string) g.Node {
	if text == "" {
		return nil
	}
	return h.P(h.Class("note"), g.Text(render.Inert(text)))
}

// farRow is a question of another machine in the list.
func farRow(q distant.Question) g.Node {
	risk := render.Render(q.Payload, render.Options{}).Friction.Level
	what := g.Group{badge(fmt.Sprintf("r%d", risk), fmt.Sprintf("R%d", risk)), g.Text(" "),
		badge("", "on "+render.Inert(q.Machine))}
	for _, call := range render.Summary(q.Payload, listRoom) {
		what = append(what, pieced(call.Pieces))
	}
	return entry("m/"+q.ID(), what, render.Inert(q.Labels),
		"until "+q.Expires.Local().Format("2 Jan 15:04"), shortID(q.Envelope))
}

// whence says which machine asks.
func whence(q distant.Question) string {
	return strings.TrimSuffix(fmt.Sprintf("Asked by machine %s (%s), labels %s",
		render.Inert(q.Machine), q.Audience, render.Inert(q.Labels)), ", labels ")
}
