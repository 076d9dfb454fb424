package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/integration/distant"
	"github.com/tada-run/tada-run/launcher/permit"
)

// distantOf is the question of another machine that a path names.
func (s visit) distantOf(r *http.Request) (distant.Question, error) {
	return s.others.find(r.PathValue("machine") + "/" + r.PathValue("id"))
}

// distant shows a question of another machine, as it would be shown there.
func (s visit) distant(w http.ResponseWriter, r *http.Request) {
	q, err := s.distantOf(r)
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	first, err := s.inbox.Page(q.Payload, render.Options{Flowing: true})
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	e := asEnvelope(q)
	s.seen(e.ID)
	s.show(w, http.StatusOK, view{title: "tada-run: " + e.ID, here: "inbox", script: keysScript,
		keys: [][2]string{{"a", "to the code"}, {"d", "to the message of a denial"}},
		body: g.Group{h.P(h.Class("note"), g.Text(whence(q))), firstPage(first, ""),
			g.Raw(s.behind(e, first.Truncated)), s.distantForm(q)}})
}

// distantForm is where the answer is given that the person's key signs.
func (s visit) distantForm(q distant.Question) g.Node {
	return h.Form(h.Method("post"), h.Action(s.root()+"m/"+q.ID()), h.AutoComplete("off"),
		h.ID("answer"), hiddenField("plan", q.PlanHash),
		hiddenField("proof", s.proof(q.ID(), q.PlanHash)),
		textField("Code for "+shortID(q.Envelope)+", shown in the terminal", "code", "code",
			codeLength, h.Required(), g.Attr("autocapitalize", "characters"),
			g.Attr("spellcheck", "false")),
		h.P(h.Label(g.Text("Passphrase of your key, if it has one "), h.Input(h.Type("password"),
			h.Name("passphrase"), g.Attr("autocomplete", "off")))),
		textField("Message to the agent, if you deny", "", "message", approval.MaxMessage),
		h.P(h.Class("answers"),
			h.Button(h.Class("approve"), h.Name("answer"), h.Value("approve"),
				g.Text("Approve once")),
			h.Button(h.Class("deny"), h.Name("answer"), h.Value("deny"), g.Attr("formnovalidate"),
				g.Text("Deny"))))
}

// distantAnswer signs the answer of a form and hands it in.
func (s visit) distantAnswer(w http.ResponseWriter, r *http.Request) {
	q, err := s.distantOf(r)
	if err != nil {
		s.refuse(w, http.StatusConflict, err)
		return
	}
	if status, err := s.readForm(w, r, q.ID()); err != nil {
		s.refuse(w, status, err)
		return
	}
	back := "m/" + q.ID()
	if r.PostForm.Get("plan") != q.PlanHash {
		s.refuse(w, http.StatusConflict,
			fmt.Errorf("question %q changed; reload the page and read it again", q.ID()))
		return
	}
	if approves(r) {
		e := asEnvelope(q)
		if s.since(e.ID) < e.ReadingTime() {
			s.refuseTo(w, http.StatusConflict, errEarly, back, "back to the question")
			return
		}
		if err := s.takeCode(e.ID, q.PlanHash, r.PostForm.Get("code")); err != nil {
			s.refuseTo(w, http.StatusForbidden, err, back, "back to the question")
			return
		}
	}
	word, err := s.hand(r, q)
	if err != nil {
		s.say(fmt.Sprintf("%s  answer not accepted: %v", q.ID(), err))
		if approves(r) {
			s.renew(r.Context(), q.ID())
		}
		s.refuseTo(w, http.StatusConflict, err, back, "back to the question")
		return
	}
	s.say(fmt.Sprintf("%s  %s", q.ID(), word))
	s.done(w, q.ID(), word)
}

var errEarly = errors.New("too early to have been read; nothing was signed")

const (
	// distantLife is how long the machine that asks may take to receive an answer.
	distantLife = 10 * time.Minute
	// distantWait is how long it may take to say what became of it, and tada-fleet to say so.
	distantWait = 40 * time.Second
)

// hand signs an answer with the person's key and hands it in. Wrong passphrases are guesses, like
// wrong codes.
func (s visit) hand(r *http.Request, q distant.Question) (string, error) {
	var token []byte
	err := s.attempt("passphrase", func() (err error) {
		token, err = s.inbox.Sign(q.Question, permit.Signing{Yes: approves(r),
			Message: strings.TrimSpace(r.PostForm.Get("message")), Valid: distantLife},
			func() (string, error) { return r.PostForm.Get("passphrase"), nil })
		return err
	})
	if err != nil {
		return "", err
	}
	// the answer is signed: a browser that goes away does not take it back
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), distantWait)
	defer cancel()
	return s.others.fleet.Answer(ctx, q, token)
}
