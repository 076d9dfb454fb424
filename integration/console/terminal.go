package console

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/coder/websocket"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// mostViewers is how many terminals are shown at once. A session has few places for clients, and
// those at terminals need some too.
const mostViewers = 16

var errViewers = fmt.Errorf("%s are watched already", audit.Plural(mostViewers, "terminal"))

// terminal is the page of a run's terminal.
func (s visit) terminal(w http.ResponseWriter, r *http.Request) {
	p, err := s.past(r.PathValue("id"))
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	if p.Within != "" { // what it shows is on the session's terminal
		http.Redirect(w, r, s.root()+"run/"+p.Within+"/terminal", http.StatusSeeOther)
		return
	}
	back := h.A(h.Href(s.root()+"run/"+p.ID), g.Text("back to the run"))
	v := view{title: "tada-run: terminal of " + p.ID, here: "runs", above: titleOf(p)}
	if p.State != past.Running {
		v.body = h.P(g.Text("This run is over. "), back)
	} else {
		v.script, v.body = terminalPage(), panel(s.root(), p.ID, p.Session, back)
	}
	s.show(w, http.StatusOK, v)
}

// terminalLink leads to the terminal of a run that runs.
func (s visit) terminalLink(p past.Run) g.Node {
	return g.If(p.State == past.Running, h.P(h.A(h.Class("button"),
		h.Href(s.root()+"run/"+p.ID+"/terminal"), g.Text("Open its terminal"))))
}

// panel is the terminal with its buttons, most of which wait for the script.
func panel(root, id string, session bool, back g.Node) g.Node {
	button := func(name, text string) g.Node {
		return h.Button(h.Type("button"), g.Attr("data-do", name), g.Attr("hidden"), g.Text(text))
	}
	key := func(name, text string) g.Node {
		return h.Button(h.Type("button"), g.Attr("data-key", name), h.Aria("label", name),
			g.Text(text))
	}
	return h.Div(h.Class("terminal"), g.Attr("data-root", root), g.Attr("data-run", id),
		h.NoScript(h.P(g.Text("The terminal needs JavaScript. Without it: "), back)),
		h.P(h.Strong(h.Class("state"), g.Text("not connected")), g.Text(" "),
			h.Span(g.Attr("role", "status"))),
		// above the screen, which may be higher than the window
		h.P(h.Class("answers"), button("take over", "Take over"), button("give back", "Give back"),
			button("freeze", "Freeze"), button("continue", "Continue"), button("end", "End")),
		h.Div(h.Class("box"), h.Div(h.Class("screen"))),
		h.P(h.Class("keys"), g.Attr("hidden"), key("Esc", "Esc"), key("Tab", "Tab"),
			key("Ctrl", "Ctrl"), key("left", "←"), key("up", "↑"), key("down", "↓"),
			key("right", "→")),
		g.If(session, h.P(h.Class("soft"), g.Text("In control, every key goes to the program, "+
			"Tab too. Ctrl-] leaves the terminal for the buttons."))),
		h.P(back))
}

var errSocket = errors.New("this address is for the page of a terminal")

// isSocket reports whether a page of the console opens a WebSocket. A page of another site can open
// one too, and the browser asks no one (there is no CORS for it); but it says which page it is for,
// and guard has compared that.
func isSocket(r *http.Request) bool {
	mode := r.Header.Get("Sec-Fetch-Mode")
	return r.Header.Get("Origin") != "" && (mode == "" || mode == "websocket")
}

// seated is the run that a page wants to watch by a WebSocket, and what gives its place back. If it
// cannot be watched, leave is nil and the page has the answer.
func (s visit) seated(w http.ResponseWriter, r *http.Request) (p past.Run, leave func()) {
	if !isSocket(r) {
		s.refuse(w, http.StatusForbidden, errSocket)
		return p, nil
	}
	p, err := s.past(r.PathValue("id"))
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return p, nil
	}
	if !s.viewers.take(mostViewers) {
		s.refuse(w, http.StatusServiceUnavailable, errViewers)
		return p, nil
	}
	return p, s.viewers.leave
}

// terminalSocket shows a run's terminal to its page.
func (s visit) terminalSocket(w http.ResponseWriter, r *http.Request) {
	p, leave := s.seated(w, r)
	if leave == nil {
		return
	}
	defer leave()
	if p.Within != "" {
		s.refuse(w, http.StatusNotFound, errOver)
		return
	}
	var err error
	v := viewer{visit: s, run: p.ID, picture: play.NewMirror(80, 24)}
	v.picture.Whole = true
	v.seat = seat{device: "console, " + s.device(), credit: wire.Credit}
	if v.feed, err = s.attach(p.ID, wire.Greeting{Device: v.device}); err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	defer func() { v.feed.leave() }()
	if v.socket, err = websocket.Accept(w, r, nil); err != nil {
		return
	}
	defer v.socket.CloseNow()
	v.socket.SetReadLimit(maxPost + wire.Credit)
	if err := v.watch(r.Context()); err == nil {
		_ = v.socket.Close(websocket.StatusNormalClosure, "")
	} else {
		_ = v.socket.Close(websocket.StatusPolicyViolation, "")
	}
}
