package console

import (
	"context"
	"fmt"
	"net/http"

	"github.com/coder/websocket"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// replay is the page that plays what a run's terminal showed.
func (s visit) replay(w http.ResponseWriter, r *http.Request) {
	p, err := s.past(r.PathValue("id"))
	if err == nil && !s.inbox.HasTranscript(p.ID) {
		err = fmt.Errorf("run %q has no transcript", p.ID)
	}
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	back := h.A(h.Href(s.root()+"run/"+p.ID), g.Text("back to the run"))
	s.show(w, http.StatusOK, view{title: "tada-run: replay of " + p.ID, here: "runs",
		above:  titleOf(p),
		script: replayPage(), body: player(s.root(), p.ID, back)})
}

// player is the screen with the keys of the player as buttons.
func player(root, id string, back g.Node) g.Node {
	key := func(name, text, label string) g.Node {
		return h.Button(h.Type("button"), g.Attr("data-key", name), h.Aria("label", label),
			g.Text(text))
	}
	return h.Div(h.Class("terminal"), g.Attr("data-root", root), g.Attr("data-run", id),
		h.NoScript(h.P(g.Text("The replay needs JavaScript. Without it, see the output: "),
			back)),
		h.P(h.Strong(h.Class("state"), g.Text("not connected"))),
		h.P(h.Label(g.Text("Position "), h.Input(h.Type("range"), h.Name("position"), h.Min("0"),
			h.Max("1000"), h.Value("0")))),
		h.P(h.Class("keys"), key("g", "Start", "Start"),
			key("left", "−5 s", "−5 s: 5 seconds back"),
			key("space", "Play", "Play or pause"), key("right", "+5 s", "+5 s: 5 seconds forward"),
			key("G", "End", "End"), key("-", "½×", "½×: half as fast"),
			key("+", "2×", "2×: twice as fast")),
		h.Div(h.Class("box"), h.Div(h.Class("screen"))),
		h.Form(h.P(h.Label(g.Text("Find on the screen "),
			h.Input(h.Type("search"), h.Name("find"), h.MaxLength("200")))),
			h.P(h.Class("answers"), h.Button(g.Text("Next")),
				h.Button(h.Type("button"), h.Name("back"), g.Text("Previous")))),
		h.P(h.Class("soft"), g.Text("Each event is checked against the one before it. Nothing is "+
			"compared with the log here; for that: "), h.Code(g.Text("tadactl audit verify"))),
		h.P(back))
}

// replaySocket plays to the page of a replay.
func (s visit) replaySocket(w http.ResponseWriter, r *http.Request) {
	p, leave := s.seated(w, r)
	if leave == nil {
		return
	}
	defer leave()
	f, err := s.inbox.Transcript(p.ID)
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	defer f.Close()
	socket, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer socket.CloseNow()
	socket.SetReadLimit(maxForm)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go alive(ctx, socket, cancel)
	show := showing{socket: socket, drawn: make(chan struct{}, 1)}
	if err := show.play(ctx, f); err == nil {
		_ = socket.Close(websocket.StatusNormalClosure, "")
	}
}
