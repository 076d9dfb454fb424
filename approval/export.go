package approval

import (
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// A question is sent to the machine of a signer as one canonical object and a newline:
//
//	v            1
//	aud          the machine that asks
//	envelope_id  its id
//	expires_at   RFC 3339
//	nonce_hash   SHA-256 of the nonce; the nonce itself is not sent
//	plan         the payload, as text; the signer renders these very bytes
//	plan_hash    of it
//
// It is not signed: the signer reads what it asks, and if the question was changed on its way, the
// answer matches no question.

// MaxRequest is the maximum length of an exported question, in bytes.
const MaxRequest = 4 << 20

// A Question is an envelope on another machine.
type Question struct {
	Audience  string
	Envelope  string
	Expires   time.Time
	NonceHash string
	Payload   []byte
	PlanHash  string // of Payload; checked by ReadQuestion
}

var questionMembers = map[string]any{
	"aud": "", "envelope_id": "", "expires_at": "", "nonce_hash": "", "plan": "", "plan_hash": "",
	"v": int64(0),
}

// Export returns the question of an envelope for a signer elsewhere.
func (e Envelope) Export(audience string) ([]byte, error) {
	b, err := canonical.Append(nil, map[string]any{
		"aud": audience, "envelope_id": e.ID, "expires_at": plan.FormatTime(e.Expires),
		"nonce_hash": e.NonceHash,
		"plan":       string(e.Payload), "plan_hash": e.PlanHash, "v": 1,
	})
	return append(b, '\n'), err
}

// ReadQuestion reads an exported question. The error is a *[TokenError] around ErrOversized,
// ErrTruncated, ErrMalformed, or ErrTampered if the plan does not match its hash.
func ReadQuestion(text []byte) (Question, error) {
	if len(text) > MaxRequest {
		return Question{}, tokenError(ErrOversized, "it has more than %d bytes", MaxRequest)
	}
	if len(text) == 0 || text[len(text)-1] != '\n' {
		return Question{}, tokenError(ErrTruncated, "it does not end with a newline")
	}
	f, err := readMembers(text[:len(text)-1], questionMembers)
	if err != nil {
		return Question{}, err
	}
	q := Question{Audience: f.Text("aud"), Envelope: f.Text("envelope_id"),
		Expires:   f.Time("expires_at"),
		NonceHash: f.Text("nonce_hash"), Payload: []byte(f.Text("plan")),
		PlanHash: f.Text("plan_hash")}
	for _, id := range []string{q.Envelope, q.Audience} {
		if id != "" && !isName(id) { // people see it, and the machine that asks has chosen it
			return Question{}, tokenError(ErrMalformed, "%.80q is not an id", id)
		}
	}
	if plan.Hash(q.Payload) != q.PlanHash {
		return Question{}, tokenError(ErrTampered, "the plan does not have the hash %s",
			plan.Prefix(q.PlanHash))
	}
	if _, err := plan.Read(q.Payload); err != nil {
		return Question{}, tokenError(ErrMalformed, "%v", err)
	}
	return q, nil
}

// Answer returns the same answer to every call of the question, to be signed: approved or not, with
// a message to the agent, valid from now for life, but not longer than the question itself.
func (q Question) Answer(approved bool, message string, now time.Time,
	life time.Duration) (Answer, error) {
	p, err := plan.Read(q.Payload)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Audience: q.Audience, Envelope: q.Envelope, PlanHash: q.PlanHash,
		NonceHash: q.NonceHash,
		Issued:    now.Truncate(time.Second),
		Expires:   now.Add(min(life, MaxTokenLife)).Truncate(time.Second)}
	if a.Expires.After(q.Expires) {
		a.Expires = q.Expires.Truncate(time.Second)
	}
	for _, id := range p.Calls {
		a.Calls = append(a.Calls, CallDecision{ID: id, Approved: approved, Message: message})
	}
	return a, nil
}

// PlanAnswer is an approval of a plan that has not been asked yet, for a machine without people,
// where [Store.Present] takes it. It binds the plan by its [Template].
func PlanAnswer(payload []byte, audience string, now time.Time,
	life time.Duration) (Answer, error) {
	p, err := plan.Read(payload)
	if err != nil {
		return Answer{}, err
	}
	template, err := plan.Template(payload)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Audience: audience, Template: template, PlanHash: plan.Hash(payload),
		Issued:  now.Truncate(time.Second),
		Expires: now.Add(min(life, MaxTokenLife)).Truncate(time.Second)}
	for _, id := range p.Calls {
		a.Calls = append(a.Calls, CallDecision{ID: id, Approved: true})
	}
	return a, nil
}
