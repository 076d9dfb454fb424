package console

import (
	"context"
	"net/http"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/push"
)

func (s *Server) book() *push.Book { return push.Open(s.inbox.Directory()) }

// tellDevices has the devices of the person notified of the questions that are open.
func (s *Server) tellDevices(ctx context.Context) {
	list, err := s.questions.list(ctx)
	if err != nil {
		return // the terminal says so
	}
	var questions []push.Question
	for _, q := range list.all {
		questions = append(questions, push.Question{ID: q.ID, Until: q.Expires,
			Text: func() string { return s.inbox.Brief(q.Envelope) }})
	}
	s.sender.Notify(questions)
}

// notifications is the page on which a device is notified from then on.
func (s visit) notifications(w http.ResponseWriter, _ *http.Request) {
	key, err := s.book().Public()
	var list []push.Subscription
	if err == nil {
		list, err = s.book().List()
	}
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	passkeys, _ := s.desk().Passkeys()
	var rows []g.Node
	for _, d := range list {
		person := ""
		if k := passkeys.Find(d.Passkey); k != nil {
			person = k.Name
		}
		rows = append(rows, entry("", g.Text(render.Inert(person+" over "+d.Relay())),
			"since "+d.Added.Local().Format(time.DateTime),
			render.Inert(s.sender.Problem(d.Endpoint))))
	}
	button := func(id, text string) g.Node {
		return h.Button(h.ID(id), h.Type("button"), g.Attr("hidden"), g.Text(text))
	}
	v := view{title: "tada-run: notifications", here: "inbox", more: ofWorker,
		script: postScript + notifyScript}
	v.body = g.Group{h.H1(g.Text("Notifications")),
		h.P(g.Text("When a question waits, this device shows its risk and its folder, such as "),
			h.Code(g.Text("R2 in ~/proj")), g.Text(", also while no page is open. Nothing else "+
				"of it leaves the machine, and only this device can read it. It is for devices "+
				"that are paired, while the console runs.")),
		h.P(h.Class("answers"), g.Attr("data-root", s.root()), g.Attr("data-key", key),
			button("on", "Notify this device"), button("test", "Send a test"),
			button("off", "Stop")),
		h.P(g.Attr("role", "status")),
		h.NoScript(h.P(g.Text("The buttons need JavaScript."))),
		h.H2(g.Text("Devices")), entries(rows, "no device is notified")}
	if len(passkeys) == 0 {
		v.script = ""
		v.body = g.Group{v.body, h.P(g.Text("First pair this device; on the machine: "),
			h.Code(g.Text("tadactl key pair")))}
	}
	s.show(w, http.StatusOK, v)
}
