package approval

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// An entry is an envelope with the fields that only the store may know.
type entry struct {
	Envelope
	issued  stamp
	ttl     time.Duration
	nonce   [16]byte
	decided stamp // when Decision was given

	canary bool

	birth, answer plan.Fields // as they are stored
}

// encode returns an entry for another process, without the nonce.
func (e *entry) encode() plan.Fields {
	birth := maps.Clone(e.birth)
	delete(birth, "nonce_masked")
	f := plan.Fields{
		"birth": map[string]any(birth), "challenge": e.Challenge, "id": e.ID,
		"payload": string(e.Payload), "state": string(e.State),
		"factor": e.Friction.Factor, "typed": e.Friction.Challenge, "votes": e.Votes,
	}
	if e.answer != nil {
		f["answer"] = map[string]any(e.answer)
	}
	return f
}

// readEntry is the inverse of encode.
func readEntry(f plan.Fields, o *Options) *entry {
	birth, _ := f["birth"].(map[string]any)
	e := &entry{Envelope: Envelope{ID: f.Text("id"), State: State(f.Text("state")),
		Payload: []byte(f.Text("payload"))}}
	e.readBirth(birth, o)
	e.Challenge, e.Votes = f.Text("challenge"), int(f.Number("votes"))
	e.Friction.Factor, e.Friction.Challenge = f.Flag("factor"), int(f.Number("typed"))
	if answer, ok := f["answer"].(map[string]any); ok {
		e.readDecision(answer, o.Unused)
	}
	return e
}

// mask hides a nonce at rest, so that a live nonce is in no file, not even in a copy of the
// database or a core dump of a page. Applied twice it returns the nonce.
func (t *tx) mask(id string, nonce [16]byte) [16]byte {
	mac := hmac.New(sha256.New, t.secret)
	mac.Write([]byte("nonce " + id))
	for i, c := range mac.Sum(nil)[:len(nonce)] {
		nonce[i] ^= c
	}
	return nonce
}

func nonceHash(nonce [16]byte) string {
	sum := sha256.Sum256([]byte(formatUUID(nonce)))
	return hex.EncodeToString(sum[:])
}

// nonceText is "" for a nonce that could not be read.
func (e *entry) nonceText() string {
	if e.nonce == [16]byte{} {
		return ""
	}
	return formatUUID(e.nonce)
}

// planKey is the key of a plan in a session. It is hashed because a session may be any string.
func planKey(session, planHash string) string {
	sum := sha256.Sum256([]byte(planHash + "\n" + session))
	return string(sum[:])
}

// load reads an envelope. It returns nil and nil if there is none. If a part of it fails its seal,
// or the payload its hash, the entry has what could be read and the error is ErrTampered.
func (t *tx) load(id string) (*entry, error) {
	f, err := t.get(envelopeBucket, id)
	if f == nil && err == nil {
		return nil, nil
	}
	e := &entry{Envelope: Envelope{ID: id, Risk: plan.MaxRisk,
		Friction: plan.FrictionOf(plan.MaxRisk)}}
	if f != nil {
		e.readBirth(f, t.o)
		if masked, herr := hex.DecodeString(f.Text("nonce_masked")); herr == nil &&
			len(masked) == len(e.nonce) {
			e.nonce = t.mask(id, [16]byte(masked))
		}
	}
	state, serr := t.get(stateBucket, id)
	e.State = State(state.Text("state"))
	decision, derr := t.get(decisionBucket, id)
	if decision != nil {
		e.readDecision(decision, t.o.Unused)
	}
	e.Payload = t.raw(payloadBucket, id)
	if e.State == Pending {
		e.Votes = len(t.votes(id))
		if t.brakeOn() {
			e.Friction = braked(e.Friction)
		}
	}
	if e.State == Pending && e.Friction.Challenge > 0 {
		e.Challenge = challenge(e.nonce[:], e.Friction.Challenge)
	}
	if err != nil || serr != nil || derr != nil || state == nil ||
		!hmac.Equal([]byte(plan.Hash(e.Payload)), []byte(e.PlanHash)) {
		return e, ErrTampered
	}
	return e, nil
}

// A quorum. Votes are stored beside the envelope until enough different people have approved. Then
// they become one decision, in which a call is allowed only if everyone allowed it. A person who
// denies all calls ends the question alone.

func (t *tx) votes(id string) []any {
	f, err := t.get(voteBucket, id)
	if err != nil {
		return nil // a note that was changed counts for no person
	}
	return f.List("votes")
}

func (e *entry) readBirth(f plan.Fields, o *Options) {
	e.birth = f
	e.WorkItem, e.Agent, e.Session = f.Text("work_item_id"), f.Text("agent_name"), f.Text("session")
	e.PlanHash = f.Text("plan_hash")
	e.Issued, e.Expires = f.Time("issued_at"), f.Time("expires_at")
	e.Calls = f.Texts("tool_call_ids")
	e.Risk = int(f.Number("risk"))
	e.Friction = plan.FrictionOf(e.Risk)
	e.Friction.Factor = e.Friction.Factor && o.SecondFactor
	e.Trust, e.Rules, e.NonceHash = plan.ParseLevel(f.Text("trust")), f.Texts("rules"),
		f.Text("nonce_hash")
	e.Quorum, e.Requester, e.canary = int(f.Number("quorum")), f.Text("requester"), f.Flag("canary")
	e.ttl = time.Duration(f.Number("ttl"))
	e.Kin, e.Refused, e.Through = f.Text("kin"), f.Text("refused"), f.Text("through")
	e.issued = stamp{at: e.Issued, boot: time.Duration(f.Number("boot")), bootID: f.Text("boot_id")}
}

func (e *entry) readDecision(f plan.Fields, unused time.Duration) {
	e.answer = f
	via, _ := f["via"].(map[string]any)
	e.Decision = &Decision{
		Envelope: e.ID,
		PlanHash: f.Text("plan_hash"),
		Calls:    readCalls(f.List("decisions")),
		Factor:   f.Text("factor"),
		Approver: f.Text("approver"),
		Channel:  f.Text("channel"),
		Took:     time.Duration(f.Number("took_ms")) * time.Millisecond,
		Via:      readVia(via, f.Text("channel")),
	}
	e.decided = stamp{at: f.Time("decided_at"), boot: time.Duration(f.Number("boot")),
		bootID: f.Text("boot_id")}
	e.UseBy = e.decided.at.Add(unused)
}

// over reports whether the time of a pending envelope is over.
func (t *tx) over(e *entry) bool {
	if !e.issued.within(t.now, e.ttl, t.o.Skew) {
		return true
	}
	return e.Decision != nil && !e.decided.within(t.now, t.o.Unused, t.o.Skew)
}

// took is how long a person had the question.
func (t *tx) took(e *entry, d Decision) time.Duration {
	if d.Took > 0 {
		return d.Took
	}
	return max(t.now.Now.Sub(e.Issued), 0)
}

// event fills in the fields that all events of an envelope have.
func (e *entry) event(ev Event) Event {
	ev.Envelope, ev.WorkItem, ev.Session, ev.PlanHash = e.ID, e.WorkItem, e.Session, e.PlanHash
	if e.nonce != [16]byte{} {
		ev.NonceHash = nonceHash(e.nonce)
	}
	ev.From, ev.To = e.State, e.State
	ev.Risk, ev.Rules, ev.Trust = e.Risk, e.Rules, e.Trust
	if e.Decision != nil && ev.Calls == nil {
		ev.Calls = slices.Clone(e.Decision.Calls)
	}
	return ev
}
