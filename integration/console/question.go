package console

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
)

// question shows one question: its first page, everything, and the form. If the first page lacks
// something, everything is open. Without a passkey a script only moves the focus by keys.
func (s visit) question(w http.ResponseWriter, r *http.Request) {
	e, err := s.envelope(r.Context(), r.PathValue("id"))
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	first, err := s.inbox.Page(e.Payload, render.Options{Flowing: true})
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	s.seen(e.ID)
	passkeys, script := s.hasPasskeys(), keysScript
	if passkeys {
		script += postScript + passkeyScript
	}
	v := view{title: "tada-run: " + e.ID, here: "inbox", script: script,
		keys: [][2]string{{"a", "to the code or the passkey"}, {"d", "to the message of a denial"}},
		body: g.Group{
			firstPage(first, e.After()),
			g.If(first.Truncated, h.P(h.A(h.Href("#answer"),
				g.Text("To the answer, past the details")))),
			g.Raw(s.behind(e, first.Truncated)),
			s.form(e, passkeys),
			h.P(g.Attr("role", "status"))}}
	s.show(w, http.StatusOK, v)
}

// behind is the markup of all that the first page may lack. A long plan takes a second, so it is
// made once for all who look at it.
func (s visit) behind(e approval.Envelope, open bool) string {
	return s.plans.get(e.ID, fmt.Sprint(e.PlanHash, open), func() string {
		s.planning.Lock()
		defer s.planning.Unlock()
		full := render.Render(e.Payload, render.Options{Flowing: true, Full: true})
		var text strings.Builder
		_ = g.Group{foretold(e), details(full, open)}.Render(&text)
		return text.String()
	})
}

// form is where the answer is given. It names the plan that is on the page.
func (s visit) form(e approval.Envelope, passkeys bool) g.Node {
	calls := g.Group{}
	if len(e.Calls) > 1 {
		for _, call := range e.Calls {
			calls = append(calls, h.P(h.Label(h.Input(h.Type("checkbox"), h.Name("call "+call),
				h.Value("yes"), h.Checked()), g.Text(" run "+call))))
		}
	}
	lasts, approve := s.lastings(e), "Approve once"
	if len(lasts) > 0 {
		approve = "Approve"
	}
	return h.Form(h.Method("post"), h.Action(s.root()+"q/"+e.ID), h.AutoComplete("off"),
		g.Attr("data-question", e.ID), h.ID("answer"),
		hiddenField("plan", e.PlanHash), hiddenField("proof", s.proof(e.ID, e.PlanHash)), calls,
		lastingFields(lasts),
		textField("Code for "+shortID(e.ID)+", shown in the terminal", "code", "code", codeLength,
			h.Required(), g.Attr("autocapitalize", "characters"), g.Attr("spellcheck", "false")),
		g.If(e.Friction.Factor && e.Quorum < 2, textField("One-time code", "code", "factor", 6,
			g.Attr("inputmode", "numeric"))),
		textField("Message to the agent, if you deny", "", "message", approval.MaxMessage),
		h.P(h.Class("answers"),
			// the first one is what Enter means
			h.Button(h.Class("approve"), h.Name("answer"), h.Value("approve"), g.Text(approve)),
			h.Button(h.Class("deny"), h.Name("answer"), h.Value("deny"), g.Attr("formnovalidate"),
				g.Text("Deny")),
			g.If(passkeys, h.Button(h.Type("button"), h.Class("approve passkey"),
				g.Attr("hidden"), g.Attr("data-root", s.root()), g.Text("Approve with passkey")))))
}

func hiddenField(name, value string) g.Node {
	return h.Input(h.Type("hidden"), h.Name(name), h.Value(value))
}

func textField(label, class, name string, length int, more ...g.Node) g.Node {
	return h.P(h.Label(g.Text(label+" "), h.Input(h.Type("text"), h.Class(class), h.Name(name),
		h.MaxLength(strconv.Itoa(length)), g.Group(more))))
}
