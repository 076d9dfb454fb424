package console

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/undo"
)

// mostSteps is how many steps the page shows. More are for the terminal: nobody confirms what is
// not shown.
const mostSteps = 2000

var errSteps = fmt.Errorf("more than %d paths; at a terminal: tadactl undo", mostSteps)

// A taking is a run that is to be taken back, with what that would do now.
type taking struct {
	launcher.Past
	undo.Take
	do    string // "undo", or "redo" for an undo
	steps []undo.Step
}

// taking returns it for the run with exactly this id. With both, what was before is written beside
// what was changed since.
func (s visit) taking(id string, both bool) (t taking, err error) {
	if t.Past, err = s.past(id); err != nil {
		return t, err
	}
	t.Take = undo.Take{Runs: []string{t.Past.ID}, KeepBoth: both}
	if t.do, err = s.backward(t.Past.ID); err != nil {
		return t, err
	}
	t.steps, err = s.inbox.PlanUndo(t.Take)
	if err == nil && len(t.steps) > mostSteps {
		err = errSteps
	}
	return t, err
}

// backward is the word for taking a run back: "redo" for one that was itself an undo.
func (s *Server) backward(id string) (string, error) {
	if again, err := s.inbox.IsUndo(id); err != nil || !again {
		return "undo", err
	}
	return "redo", nil
}

// on is what a confirmation is for: the run, and exactly these steps.
func (t taking) on() string { return t.Past.ID + " " + launcher.StepsHash(t.steps) }

// left is how many paths stay as they are.
func (t taking) left() (n int) {
	for _, step := range t.steps {
		if step.Do == undo.Refuse || step.Do == undo.Beside {
			n++
		}
	}
	return n
}

// undo shows what it would do to take a run back, as the terminal does, and asks for it.
func (s visit) undo(w http.ResponseWriter, r *http.Request) {
	both := r.URL.Query().Get("both") == "yes"
	t, err := s.taking(r.PathValue("id"), both)
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	here := s.root() + "run/" + t.Past.ID + "/undo"
	title := strings.ToUpper(t.do[:1]) + t.do[1:]
	body := g.Group{h.H1(g.Text(title)),
		h.P(h.A(h.Href(s.root()+"run/"+t.Past.ID), g.Text("back to the run "+t.Past.ID))),
		shortly(t.Past), wholeOf(t.Past)}
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
			h.Code(g.Text("tadactl undo "+t.Past.ID)))))
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

// undoDone takes a run back once that was confirmed for exactly what it does now.
func (s visit) undoDone(_ *http.Request, p posted) (any, error) {
	id, _, _ := strings.Cut(p.On, " ")
	t, err := s.taking(id, p.Both)
	switch {
	case err != nil:
		return nil, err
	case t.on() != p.On || t.do != p.Do:
		return nil, &launcher.OtherStepsError{}
	case len(t.steps) == 0:
		return nil, errors.New("nothing to do")
	}
	if _, err := s.confirm(t.do, t.on(), p.confirmation); err != nil {
		return nil, err
	}
	result, err := s.inbox.Undo(t.Take, launcher.UndoOrder{Over: approval.ChannelWeb,
		Command: "tadactl undo " + t.Past.ID, Dir: t.Past.Dir,
		Shown: launcher.StepsHash(t.steps)})
	if err != nil {
		return nil, err
	}
	said := audit.Plural(len(result.Steps)-result.Refused, "path") + " put back"
	if result.Refused > 0 {
		said += fmt.Sprintf(", %d left as is", result.Refused)
	}
	s.say(fmt.Sprintf("%s  %s: %s", t.Past.ID, t.do, said))
	return map[string]string{"said": said, "run": result.Run}, nil
}
