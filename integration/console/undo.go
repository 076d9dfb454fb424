package console

import (
	"net/http"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/undo"
)

// undo shows what it would do to take a run back, as the terminal does, and asks for it.
func (s visit) undo(w http.ResponseWriter, r *http.Request) {
	both := r.URL.Query().Get("both") == "yes"
	t, err := s.taking(r.PathValue("id"), both)
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	here := s.root() + "run/" + t.Run.ID + "/undo"
	title := strings.ToUpper(t.do[:1]) + t.do[1:]
	body := g.Group{h.H1(g.Text(title)),
		h.P(h.A(h.Href(s.root()+"run/"+t.Run.ID), g.Text("back to the run "+t.Run.ID))),
		shortly(t.Run), wholeOf(t.Run)}
	if len(t.steps) == 0 {
		body = append(body, h.P(h.Class("empty"), g.Text("nothing to do")))
		s.show(w, http.StatusOK, view{title: "tada-run: " + t.do, here: "runs", body: body})
		return
	}
	switch left := t.left(); {
	case both:
		body = append(body, h.P(h.A(h.Href(here), g.Text("leave those as they are"))))
	case left > 0:
		body = append(body, h.P(h.Class("note"), g.Textf("%s as is: changed since, see below",
			audit.Plural(left, "path")+" left")), h.P(h.A(h.Href(here+"?both=yes"),
			g.Text("write what was there beside them"))))
	}
	rows := g.Group{}
	for _, step := range t.steps {
		rows = append(rows, stepRow(step))
	}
	flag := ""
	if both {
		flag = "yes"
	}
	body = append(body, h.Ul(h.Class("bound"), rows), h.P(h.Class("answers"),
		h.Button(h.Class("approve act"), h.Data("root", s.root()), h.Data("do", t.do),
			h.Data("on", t.on()), h.Data("both", flag), g.Text(title+" now"))),
		h.P(h.Role("status")), h.NoScript(h.P(h.Class("soft"),
			g.Text("without scripts, at a terminal: "),
			h.Code(g.Text("tadactl undo "+t.Run.ID)))))
	s.show(w, http.StatusOK, view{title: "tada-run: " + t.do, here: "runs",
		script: postScript + confirmScript + undoScript, body: body})
}

// stepRow is one step.
func stepRow(step undo.Step) g.Node {
	class := map[undo.Do]string{undo.Remove: "del", undo.Restore: "add", undo.Refuse: "lost",
		undo.Beside: "lost"}[step.Do]
	why := ""
	if step.Why != "" {
		why = "  (" + render.Inert(step.Why) + ")"
	}
	return h.Li(h.Class(class), g.Text(string(step.Do)+" "),
		h.Code(g.Text(render.Inert(step.Path))), g.Text(why))
}
