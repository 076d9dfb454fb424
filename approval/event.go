package approval

import (
	"fmt"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// The kinds of [Event].
const (
	KindIssued   = "approval.issued"   // the question was stored; it was not shown yet
	KindDecided  = "approval.decided"  // a person allowed at least one call
	KindConsumed = "approval.consumed" // used, or spoiled in the attempt: see Outcome
	KindRejected = "approval.rejected" // denied or cancelled: see Outcome
	// a person took a denial back: the same plan may be asked again
	KindUndenied = "approval.undenied"
	KindExpired  = "approval.expired"  // too old
	KindRefused  = "approval.refused"  // an attempt that changed nothing
	KindFinished = "approval.finished" // the outcome of the run: see Outcome

	KindVoted = "approval.voted" // one of several people allowed at least one call
	// answers came too fast, or no longer do: see Outcome, "on" or "off"
	KindBrake = "approval.brake"
	// a canary was answered, or not answered in time: see Outcome
	KindCanary = "approval.canary"
	// a second factor was enrolled, replaced or removed: see Outcome and Reason
	KindFactor = "approval.factor"

	KindGranted        = "approval.granted"         // a person made a grant
	KindGrantUsed      = "approval.grant-used"      // one run was permitted by it
	KindGrantRevoked   = "approval.grant-revoked"   // a person revoked it
	KindGrantSuspended = "approval.grant-suspended" // a denial or tampering in its session ended it
)

// The outcomes of an [Event].
const (
	OutcomeApproved  = "approved"
	OutcomeExecuted  = "executed"
	OutcomeDenied    = "denied"
	OutcomeCancelled = "cancelled"
	OutcomeTampered  = "rejected:tampered"
	OutcomeExpired   = "rejected:expired"
	OutcomeReplayed  = "rejected:replayed"
	OutcomeMismatch  = "rejected:mismatch"
	OutcomeBijection = "rejected:bijection"
	OutcomeUnknown   = "rejected:unknown"
	OutcomeHasty     = "rejected:hasty" // faster than the page can be read

	// Of signed answers.
	OutcomeTruncated = "rejected:truncated"
	OutcomeOversized = "rejected:oversized"
	OutcomeMalformed = "rejected:malformed"
	OutcomeSignature = "rejected:signature"
	OutcomeUntrusted = "rejected:untrusted"
	OutcomeAudience  = "rejected:audience"
	OutcomeScope     = "rejected:scope"

	// Of second factors.
	OutcomeEnrolled = "enrolled"
	OutcomeReplaced = "replaced"
	OutcomeRemoved  = "removed"
	OutcomeTrusted  = "trusted"
	OutcomeDistrust = "no longer trusted"

	OutcomeLost = "unknown" // the run ended without a report: what it did is not known
)

// An Event is one thing that happened to an envelope, for the record. It is stored in the same
// transaction as the change itself and stays until MarkLogged.
type Event struct {
	// its place in the store's order, from 1; 0 for an attempt that changed nothing and is not
	// stored
	Seq       uint64
	Time      time.Time
	Kind      string
	Envelope  string
	Grant     string // the grant that it is about; "" for none
	WorkItem  string
	Session   string
	PlanHash  string
	NonceHash string // SHA-256 of the nonce, hexadecimal
	Nonce     string // the nonce itself; "" while it is live
	From, To  State  // equal when the state did not change
	Calls     []CallDecision
	Approver  string
	Channel   string
	Outcome   string
	Reason    string // free text: why it was cancelled, the outcome of the run
	Risk      int
	Trust     plan.Level
	Rules     []string      // that asked, at most 16
	Took      time.Duration // of an answer, in whole milliseconds: from showing to answer
	Token     string        // id of the signed answer, "" without one
	Via       Via           // how an answer came
	Computed  string        // the plan hash that the claim presented, or that the stored bytes have
}

// Body returns the event as a canonical JSON object: the body of a log entry of kind e.Kind.
func (e Event) Body() []byte {
	b, err := canonical.Append(nil, map[string]any(e.fields()))
	if err != nil {
		return nil // every value of it has a spelling
	}
	return b
}

func (e Event) fields() plan.Fields {
	f := plan.Fields{
		"approver":           e.Approver,
		"channel":            e.Channel,
		"computed_plan_hash": e.Computed,
		"decisions":          callList(e.Calls),
		"envelope_id":        e.Envelope,
		"from":               string(e.From),
		"grant_id":           e.Grant,
		"kind":               e.Kind,
		"nonce":              e.Nonce,
		"nonce_hash":         e.NonceHash,
		"outcome":            e.Outcome,
		"plan_hash":          e.PlanHash,
		"reason":             e.Reason,
		"risk":               e.Risk,
		"rules":              e.Rules,
		"seq":                e.Seq,
		"session":            e.Session,
		"time":               plan.FormatTime(e.Time),
		"to":                 string(e.To),
		"token_id":           e.Token,
		"took_ms":            e.Took.Milliseconds(),
		"trust":              e.Trust.String(),
		"work_item_id":       e.WorkItem,
	}
	if via := e.Via.fields(); via != nil {
		// entries that are not about an answer have no via, nor do those of older programs
		f["via"] = map[string]any(via)
	}
	if p := e.Via.Passkey.fields(); p != nil {
		f["passkey"] = map[string]any(p)
	}
	return f
}

// ParseEvent is the inverse of Body, for existing log entries. A member that an older program did
// not write is zero.
func ParseEvent(body []byte) (Event, error) {
	v, err := canonical.Parse(body)
	m, ok := v.(map[string]any)
	if err != nil || !ok {
		return Event{}, fmt.Errorf("approval: %w: not the body of an event", ErrMalformed)
	}
	return readEvent(m), nil
}

func readEvent(f plan.Fields) Event {
	via, _ := f["via"].(map[string]any)
	e := Event{
		Seq:       uint64(f.Number("seq")),
		Time:      f.Time("time"),
		Kind:      f.Text("kind"),
		Envelope:  f.Text("envelope_id"),
		Grant:     f.Text("grant_id"),
		WorkItem:  f.Text("work_item_id"),
		Session:   f.Text("session"),
		PlanHash:  f.Text("plan_hash"),
		NonceHash: f.Text("nonce_hash"),
		Nonce:     f.Text("nonce"),
		From:      State(f.Text("from")),
		To:        State(f.Text("to")),
		Calls:     readCalls(f.List("decisions")),
		Approver:  f.Text("approver"),
		Channel:   f.Text("channel"),
		Outcome:   f.Text("outcome"),
		Reason:    f.Text("reason"),
		Computed:  f.Text("computed_plan_hash"),
		Risk:      int(f.Number("risk")),
		Trust:     plan.ParseLevel(f.Text("trust")),
		Rules:     f.Texts("rules"),
		Took:      time.Duration(f.Number("took_ms")) * time.Millisecond,
		Token:     f.Text("token_id"),
		Via:       readVia(via, f.Text("channel")),
	}
	e.Via.Passkey = readAssertion(plan.AsFields(f["passkey"]))
	return e
}
