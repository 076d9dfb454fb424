package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
)

// maxPost is how long the JSON of a ceremony may be.
const maxPost = 64 << 10

// A ceremony is a step of one with a passkey: what a script posts, and gets back as JSON.
type ceremony func(visit, *http.Request, posted) (any, error)

// posted is what scripts post.
type posted struct {
	Token string `json:"token"`

	Question string          `json:"question"`
	Plan     string          `json:"plan"`
	Proof    string          `json:"proof"`
	Message  string          `json:"message"`
	Calls    map[string]bool `json:"calls"`
	Lasts    string          `json:"lasts"`

	Do   string `json:"do"`
	On   string `json:"on"`
	Both bool   `json:"both"`
	confirmation

	Subscription json.RawMessage `json:"subscription"`
}

// post answers a step of a ceremony with JSON, or with the reason as text.
func (s visit) post(w http.ResponseWriter, r *http.Request, do ceremony) {
	var p posted
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxPost)).Decode(&p)
	var answer any
	step := func() (err error) {
		answer, err = do(s, r, p)
		return err
	}
	switch {
	case err != nil:
	case s.session != nil:
		err = s.attempt("passkey", step)
	default:
		if err = step(); err != nil {
			s.strange(r, "passkey", err)
		}
	}
	if who, ok := answer.(entrant); ok && err == nil {
		answer, err = s.admit(w, who)
	}
	reply(w, answer, err)
}

// reply answers a script with JSON, or with the reason as text.
func reply(w http.ResponseWriter, answer any, err error) {
	if err != nil {
		if f, ok := approval.Explain(err); ok {
			err = errors.New(f.Message)
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// signedIn is whoever has used a passkey.
func signedIn(r *http.Request, how string, k passkey.Known) entrant {
	return entrant{device: deviceOf(r.UserAgent()), how: how, passkey: k.ID, signer: k.Signer()}
}

// An admission is the answer to a browser that is let in.
type admission struct {
	Name string `json:"name"`
	Root string `json:"root"`
}

// admit lets a browser in.
func (s visit) admit(w http.ResponseWriter, who entrant) (any, error) {
	v, err := s.letIn(w, who)
	if err != nil {
		return nil, err
	}
	_, name, _ := strings.Cut(who.signer, " ")
	return admission{name, v.root()}, nil
}
