package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/launcher/permit"
)

func (s visit) pairBegin(_ *http.Request, p posted) (any, error) {
	options, err := s.desk().PairBegin(p.Token, s.base)
	return json.RawMessage(options), err
}

func (s visit) pairFinish(r *http.Request, p posted) (any, error) {
	known, err := s.desk().PairFinish(p.Token, s.base, p.Response)
	if err != nil {
		return nil, err
	}
	s.say("paired a passkey of " + known.Name)
	return signedIn(r, "pairing", known), nil
}

// answerOf is the approval that a page states. Of several calls it has those that are checked.
func (s visit) answerOf(r *http.Request, p posted) (approval.Answer, error) {
	none := approval.Answer{}
	if !s.proves(p.Proof, p.Question, p.Plan) {
		return none, errForm
	}
	e, err := s.envelope(r.Context(), p.Question)
	if err != nil {
		return none, err
	}
	if e.PlanHash != p.Plan {
		return none, fmt.Errorf("question %q changed; reload the page and read it again", e.ID)
	}
	a := approval.Answer{Envelope: e.ID, PlanHash: e.PlanHash}
	for _, id := range e.Calls {
		call := approval.CallDecision{ID: id, Approved: len(e.Calls) == 1 || p.Calls[id]}
		if !call.Approved {
			call.Message = strings.TrimSpace(p.Message)
		}
		a.Calls = append(a.Calls, call)
	}
	if !permit.Approves(a.Calls) {
		return none, errors.New("nothing is checked; to deny everything, press Deny")
	}
	lasts, err := s.grantOf(e, p.Lasts)
	if err != nil || lasts == nil {
		return a, err
	}
	a.Scope = approval.Scope{Uses: lasts.Uses, For: lasts.For}
	a.Calls[0].Choice = lasts.Choice
	return a, e.MayStand(approval.Decision{Calls: a.Calls}, *lasts)
}

func (s visit) assertBegin(r *http.Request, p posted) (any, error) {
	a, err := s.answerOf(r, p)
	if err != nil {
		return nil, err
	}
	options, err := s.desk().AssertBegin(r.Context(), a, s.base)
	return json.RawMessage(options), err
}

func (s visit) assertFinish(r *http.Request, p posted) (any, error) {
	a, err := s.answerOf(r, p)
	if err != nil {
		return nil, err
	}
	taken, err := s.desk().AnswerByPasskey(r.Context(), a, s.base, s.device(), p.Response)
	if err != nil {
		s.say(fmt.Sprintf("%s  answer not accepted: %v", p.Question, err))
		return nil, err
	}
	word := "approved"
	if taken.Votes < taken.People {
		word = fmt.Sprintf("counted, %d of %d", taken.Votes, taken.People)
	}
	if taken.Grant != nil {
		word += " and remembered"
	}
	s.say(fmt.Sprintf("%s  %s by the passkey of %s", p.Question, word, taken.Signer))
	return map[string]string{"said": word + ": " + p.Question}, nil
}

// hasPasskeys reports whether a passkey could answer here. Those paired at another name of the
// console are of no use.
func (s *Server) hasPasskeys() bool {
	host, err := passkey.Host(s.base)
	if err != nil {
		return false
	}
	list, err := s.desk().Passkeys()
	return err == nil && slices.ContainsFunc(list,
		func(k passkey.Known) bool { return k.RP == host })
}

// pair is the page that a link for pairing opens.
func (s visit) pair(w http.ResponseWriter, _ *http.Request) {
	v := view{title: "tada-run: pair", script: postScript + pairScript}
	v.body = g.Group{
		h.H1(g.Text("Pair this device")),
		h.P(h.Class("before"), g.Text("A passkey on this device will be able to approve "+
			"questions of this machine. The link is good once, for ten minutes. To revoke the "+
			"passkey later, at the terminal: "), h.Code(g.Text("tadactl key revoke"))),
		h.NoScript(h.P(g.Text("Pairing needs JavaScript."))),
		h.P(h.Class("before"), h.Button(g.Attr("data-root", s.root()), g.Text("Pair"))),
		h.P(g.Attr("role", "status"))}
	s.show(w, http.StatusOK, v)
}
