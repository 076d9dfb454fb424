package approval

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// Challenge returns what a passkey signs to give an answer: SHA-256(plan hash || envelope id ||
// answer). answer is what [Answer.Statement] returns, so it begins with a brace. A plan hash has 64
// characters and an id has no brace, so no two answers have the same bytes.
func Challenge(planHash, envelope, answer string) [sha256.Size]byte {
	return sha256.Sum256([]byte(planHash + envelope + answer))
}

// Statement returns an answer in the one spelling that is signed: the decision about each call,
// with message and grant number, the scope, and the hash of the envelope's nonce.
func (a Answer) Statement() (string, error) {
	calls := make([]any, 0, len(a.Calls))
	for _, c := range a.Calls {
		calls = append(calls, map[string]any{"approved": c.Approved, "choice": c.Choice,
			"instead": c.Instead, "message": c.Message, "tool_call_id": c.ID})
	}
	text, err := canonical.Append(nil, map[string]any{
		"decisions": calls, "nonce_hash": a.NonceHash,
		"scope": map[string]any{"for_s": int64(a.Scope.For / time.Second), "uses": a.Scope.Uses},
		"v":     1,
	})
	return string(text), err
}

// ReadStatement is the inverse of [Answer.Statement]. It takes no other spelling.
func ReadStatement(text string) (Answer, error) {
	v, err := canonical.Parse([]byte(text))
	f := plan.AsFields(v)
	if err != nil || f == nil {
		return Answer{}, tokenError(ErrMalformed, "it is not the text of an answer")
	}
	scope := plan.AsFields(f["scope"])
	a := Answer{NonceHash: f.Text("nonce_hash"), Scope: Scope{Uses: int(scope.Number("uses")),
		For: time.Duration(scope.Number("for_s")) * time.Second}}
	for _, v := range f.List("decisions") {
		c := plan.AsFields(v)
		a.Calls = append(a.Calls, CallDecision{ID: c.Text("tool_call_id"),
			Approved: c.Flag("approved"), Message: c.Text("message"), Instead: c.Text("instead"),
			Choice: int(c.Number("choice"))})
	}
	if again, err := a.Statement(); err != nil || again != text {
		return Answer{}, tokenError(ErrMalformed, "it is not the text of an answer")
	}
	return a, nil
}

// A Prover returns nil if an assertion shows that the holder of a credential signed a challenge,
// and that the device verified its user. Package passkey has one. It is passed in, so that
// tada-run, which only asks, does not link it.
type Prover func(c Credential, challenge [sha256.Size]byte, a Assertion) error

// VerifyPasskey checks an answer that a passkey has signed, and returns it as [Verify] returns one
// that a key has signed. Only the store can tell whether it matches a question, and takes it once.
// The error is a *[TokenError], or that of the prover.
func VerifyPasskey(a Answer, c Credential, proof Assertion, prove Prover,
	now time.Time) (Signed, error) {
	if err := c.Check(); err != nil {
		return Signed{}, err
	}
	text, err := a.Statement()
	switch {
	case err != nil:
		return Signed{}, tokenError(ErrMalformed, "%v", err)
	case a.Envelope == "" || strings.Contains(a.Envelope, "{") || len(a.PlanHash) != 64:
		return Signed{}, tokenError(ErrMalformed, "it names no question and no plan")
	case len(a.Calls) == 0:
		return Signed{}, tokenError(ErrMalformed, "it decides about no call")
	case proof.Answer != text || !slices.Equal(proof.Credential, c.ID):
		return Signed{}, tokenError(ErrSignature, "it was signed for another answer")
	}
	if err := prove(c, Challenge(a.PlanHash, a.Envelope, text), proof); err != nil {
		return Signed{}, err
	}
	a.TokenID, a.Template, a.Delegation = proof.TokenID(), "", ""
	a.Issued, a.Expires = now, now.Add(MaxTokenLife) // so long the store remembers it
	s := Signed{Answer: a, Person: c.Name, Signer: c.Signer(), maxRisk: c.MaxRisk, verified: true,
		passkey: proof}
	if r := s.grant(""); s.stands() {
		if err := r.settle(); err != nil {
			return Signed{}, tokenError(ErrScope, "%v", err)
		}
	}
	return s, nil
}
