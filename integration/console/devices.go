package console

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/approval/render"
)

// ending is what the proof of a form says that ends a session.
const ending = "end this session"

// devices shows who can use the console: the browsers that are let in, and the passkeys.
func (s visit) devices(w http.ResponseWriter, _ *http.Request) {
	list, err := s.desk().Passkeys()
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	sessions, passkeys := []g.Node{}, []g.Node{}
	last := map[string]time.Time{} // when a session of a passkey was used
	for _, k := range s.sessions.list() {
		sessions = append(sessions, s.browser(k))
		if id := hex.EncodeToString(k.passkey); k.last.After(last[id]) {
			last[id] = k.last
		}
	}
	for _, k := range list {
		passkeys = append(passkeys, s.paired(k, last[hex.EncodeToString(k.ID)]))
	}
	s.show(w, http.StatusOK, view{title: "tada-run: devices", here: "devices", body: g.Group{
		h.H1(g.Text("Devices")), h.H2(g.Text("Browsers")), entries(sessions, "none"),
		h.H2(g.Text("Passkeys")), entries(passkeys, "no passkeys"),
		h.P(h.Class("soft"), g.Text("To pair a device, at the terminal: "),
			h.Code(g.Text("tadactl key pair")))}})
}

// browser is a session in the list.
func (s visit) browser(k known) g.Node {
	name, button := g.Group{g.Text(k.device)}, "End"
	if k.id == s.session.id {
		name, button = g.Group{name, g.Text(" "), badge("own", "this one")}, "Sign out"
	}
	by := "by " + k.how
	if k.signer != "" {
		by += " " + k.signer
	}
	form := h.Form(h.Method("post"), h.Action(s.root()+"devices/end"), h.Class("end"),
		h.Input(h.Type("hidden"), h.Name("session"), h.Value(k.id)),
		h.Input(h.Type("hidden"), h.Name("proof"), h.Value(s.proof(ending, k.id))),
		h.Button(h.Class("deny"), g.Text(button), h.Aria("label", button+": "+k.device)))
	return h.Li(h.Div(name, facts("signed in "+by, "since "+k.began.Local().Format(time.DateTime),
		"used "+ago(s.now().Sub(k.last))), form))
}

// paired is a passkey in the list. used is when a session of it was used, if there is one.
func (s visit) paired(k passkey.Known, used time.Time) g.Node {
	says := ""
	if !used.IsZero() {
		says = "signed in, used " + ago(s.now().Sub(used))
	}
	return h.Li(h.Div(h.Span(g.Text(render.Inert(k.Name)+" ")),
		h.Span(h.Class("soft"), g.Text(k.Short())), facts(fmt.Sprintf("up to risk %d", k.MaxRisk),
			"for "+render.Inert(k.RP), "paired "+k.Added.Local().Format(time.DateTime), says,
			"to revoke: tadactl key revoke "+k.Short())))
}

// endSession ends the session that a form names. It needs no code: whoever is let in can only let
// out.
func (s visit) endSession(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		s.refuse(w, http.StatusBadRequest, fmt.Errorf("read the form: %w", err))
		return
	}
	id := r.PostForm.Get("session")
	if !s.proves(r.PostForm.Get("proof"), ending, id) {
		s.refuse(w, http.StatusForbidden, errForm)
		return
	}
	gone := s.sessions.endOf(id)
	s.left(gone, "by "+s.device())
	if gone != nil {
		s.say(fmt.Sprintf("the session of %s is ended, by %s", gone, s.device()))
	}
	to := s.root() + "devices"
	if id == s.session.id {
		http.SetCookie(w, s.cookie(s.root(), "", -1))
		to = "/"
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}
