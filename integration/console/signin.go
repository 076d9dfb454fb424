package console

import (
	"encoding/json"
	"net/http"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// entrance is the page for a browser without a session: it signs in with a passkey, if passkeys are
// for this address. It says nothing else about the machine.
func (s visit) entrance(w http.ResponseWriter, _ *http.Request) {
	s.doors(w, http.StatusOK, "this browser is not signed in")
}

// nobody answers for what only a session has.
func (s visit) nobody(w http.ResponseWriter, _ *http.Request) {
	s.doors(w, http.StatusForbidden, errSession.Error())
}

// doors says what there is to do without a session.
func (s visit) doors(w http.ResponseWriter, status int, why string) {
	v := view{title: "tada-run", body: g.Group{h.H1(g.Text("Sign in")), h.P(g.Text(why)),
		h.P(g.Text("Open the newest link on the terminal where the console runs. Each link lets " +
			"one browser in. The browser must accept cookies."))}}
	if s.hasNames() {
		v.script = postScript + signInScript
		v.body = g.Group{v.body, h.P(g.Text("Or sign in with a passkey that is paired (tadactl "+
			"key pair)."), h.NoScript(g.Text(" That needs JavaScript."))),
			h.P(h.Class("answers"), h.Button(g.Attr("hidden"), h.Class("approve"),
				g.Attr("data-root", s.root()), g.Text("Sign in with a passkey"))),
			h.P(g.Attr("role", "status"))}
	}
	s.show(w, status, v)
}

// hasNames reports whether passkeys can be used at the address of the console.
func (s *Server) hasNames() bool {
	_, err := s.desk().SignInBegin("", s.base)
	return err == nil
}

func (s visit) signInBegin(_ *http.Request, _ posted) (any, error) {
	ticket, err := s.tickets.issue(s.random, s.now())
	if err != nil {
		return nil, err
	}
	options, err := s.desk().SignInBegin(ticket, s.base)
	return map[string]any{"token": ticket, "options": json.RawMessage(options)}, err
}

func (s visit) signInFinish(r *http.Request, p posted) (any, error) {
	if _, err := s.tickets.made(p.Token, s.now()); err != nil {
		return nil, err
	}
	k, err := s.desk().SignIn(p.Token, s.base, p.Response)
	if err != nil {
		return nil, err
	}
	if err := s.tickets.spend(p.Token, s.now()); err != nil {
		return nil, err
	}
	return signedIn(r, "passkey", k), nil
}
