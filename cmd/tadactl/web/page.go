package web

import (
	"crypto/hmac"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
)

func hmacEqual(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// text returns a string as a text node. The renderer has left only printable characters.
func text(s string) string { return html.EscapeString(s) }

// The width of a question in columns, in a window and on a telephone.
const pageWidth, narrowWidth = 100, 40

func write(w http.ResponseWriter, title, head, body string) {
	_,
		_ = fmt.Fprintf(w,
		"<!doctype html><html lang=en><meta charset=utf-8><title>%s</title><meta name=viewport content=\"width=device-width\">%s<style>%s</style><body>%s</body></html>\n",
		text(title), head, style, body)
}

// refuse shows an error.
func (s *Server) refuse(w http.ResponseWriter, status int, err error) {
	w.WriteHeader(status)
	write(w, "tada-run", "", "<p>"+text(err.Error()))
}

// done shows the result of an answer.
func (s *Server) done(w http.ResponseWriter, id, word string) {
	write(w, "tada-run", "", "<p>"+text(word+": "+id)+"<p><a href=\"/"+s.token+
		"/\">back to the inbox</a>")
}

// listRoom is how many characters of a question's commands the list shows.
const listRoom = 400

// refreshed keeps the list up to date without a script.
const refreshed = `<meta http-equiv=refresh content=5>`

// list shows the open questions.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	list, err := s.open(r.Context())
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "<li><a href=\"q/%s\">%s</a> R%d", text(e.ID), text(e.ID), e.Risk)
		for _, call := range render.Summary(e.Payload, listRoom) {
			// only to choose from the list; the page shows the whole command
			b.WriteString("<br>")
			for _, p := range call.Pieces {
				if p.Cut > 0 {
					fmt.Fprintf(&b, " <em>[%d chars cut]</em> ", p.Cut)
				}
				fmt.Fprintf(&b, "<code>%s</code>", text(render.Inert(p.Text)))
			}
		}
	}
	if len(list) == 0 {
		b.WriteString("<li>no open questions")
	}
	write(w, fmt.Sprintf("(%d) tada-run", len(list)), refreshed, "<h1>tada-run asks</h1><ul>"+
		b.String()+"</ul>")
}

// classes are the names of the tones in the style sheet.
var classes = [...]string{render.Body: "", render.Label: "label", render.Low: "low",
	render.High: "high", render.Critical: "critical", render.Danger: "danger",
	render.Lost: "lost", render.Kept: "kept"}

// markup returns a page as text nodes, in the colours of its tones.
func markup(p render.Page) string {
	var b strings.Builder
	for _, line := range p.Spans {
		for _, s := range line {
			if class := classes[s.Tone]; class != "" {
				fmt.Fprintf(&b, "<span class=%s>%s</span>", class, text(s.Text))
			} else {
				b.WriteString(text(s.Text))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// question shows one question: its first page, everything, and the form. If the first page lacks
// something, everything is open.
func (s *Server) question(w http.ResponseWriter, r *http.Request, id string) {
	e, err := s.envelope(r.Context(), id)
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	first, err := s.inbox.Page(e.Payload, pageWidth, false)
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	narrow, err := s.inbox.Page(e.Payload, narrowWidth, false)
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	full, open := render.Render(e.Payload, render.Options{Width: pageWidth, Full: true}), ""
	if first.Truncated {
		open = " open"
	}
	s.mu.Lock()
	if s.shown[e.ID].IsZero() {
		s.shown[e.ID] = s.now()
	}
	s.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b,
		"<pre class=wide>%s</pre><pre class=narrow>%s</pre>"+
			"<details%s><summary>details</summary><pre>%s</pre></details>"+
			"<form method=post action=\"/%s/q/%s\" autocomplete=off><input type=hidden "+
			"name=plan value=\"%s\"><input type=hidden name=proof value=\"%s\">",
		markup(first)+text(e.After()), markup(narrow)+text(e.After()), open,
		markup(full), s.token, text(e.ID), text(e.PlanHash),
		s.proof(e.ID, e.PlanHash))
	if len(e.Calls) > 1 {
		for _, call := range e.Calls {
			fmt.Fprintf(&b,
				"<p><label><input type=checkbox name=\"call %s\" value=yes checked> run %s</label>",
				text(call), text(call))
		}
	}
	fmt.Fprintf(&b,
		"<p><label>code shown in the terminal <input type=text class=code name=code "+
			"maxlength=%d required></label>", codeLength)
	if e.Friction.Factor && e.Quorum < 2 {
		b.WriteString(
			"<p><label>one-time code <input type=text class=code " +
				"name=factor maxlength=6 inputmode=numeric></label>")
	}
	fmt.Fprintf(&b,
		"<p><label>message to the agent (if denied) <input type=text "+
			"name=message maxlength=%d></label>", approval.MaxMessage)
	fmt.Fprintf(&b,
		"<p><button name=answer value=deny>Deny</button><button "+
			"name=answer value=approve>Approve once</button></form><p><a href=\"/%s/\">back to "+
			"the inbox</a>", s.token)
	write(w, "tada-run: "+e.ID, "", b.String())
}
