package approval

import (
	"time"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/render"
)

// An Envelope is one question to a person, as the store knows it. What it was created with never
// changes.
type Envelope struct {
	ID       string     // UUID version 4; the only name of it that an agent may learn
	WorkItem string     // payload work_item_id
	Agent    string     // payload agent_name
	Session  string     // who may use it
	PlanHash string     // SHA-256 of Payload, 64 hexadecimal digits
	Issued   time.Time  // UTC
	Expires  time.Time  // UTC; the question ends at this instant
	Calls    []string   // tool_call_id of each call, in order
	Risk     int        // payload risk
	Trust    plan.Level // payload trust
	Rules    []string   // rules of the payload's reasons that asked
	Kin      string     // what near-identical questions have in common; see Grouped
	// in words, the program whose text was around the command when it was asked; not part of the
	// plan
	Through string
	// the envelope of a near-identical question that was denied shortly before this one; "" for
	// none
	Refused string
	Payload []byte // the canonical bytes that are hashed and shown; nil from Pending

	NonceHash string // SHA-256 of the nonce; for a signer elsewhere
	Quorum    int    // how many people must approve; 0 and 1 are one
	Votes     int    // how many have approved, while that is not enough
	Requester string // who may not be one of them

	State    State
	Friction plan.Friction
	// what to type to approve; "" if a key press is enough or the envelope has ended. Never for the
	// agent
	Challenge string
	Decision  *Decision // the answer, or nil
	UseBy     time.Time // the answer ends at this instant; zero without one

	Events []Event // what the call that returned this envelope changed: to be written to the record
}

// Approved reports whether a person allowed at least one call and the approval is unused.
func (e Envelope) Approved() bool {
	return e.State == Pending && e.Decision != nil && e.Decision.approvesAny()
}

// ReadingTime is how long the page of the question must have been shown before it can be approved.
func (e Envelope) ReadingTime() time.Duration { return render.ReadingTime(e.Payload, e.Risk) }

// A Request asks for a person's approval of one plan.
type Request struct {
	Session string        // who asks; the same plan in the same session is the same question
	Payload []byte        // the canonical plan: see the package comment
	TTL     time.Duration // shorter than Options.TTL; 0, or anything longer, means Options.TTL

	Quorum    int    // how many different people must approve; one denial denies. 0 and 1 mean one
	Requester string // the person for whom it is asked, who cannot be one of them; "" for none
	Budget    string // whose questions are counted against the limits; "" means Session
	Person    bool   // a person is at the terminal where it is asked; no limit applies
	Through   string // the program whose text was around the command
	Canary    bool   // a question that must be denied, as a test: see Canary
}

// MaxQuorum is far more people than can be reached in an hour.
const MaxQuorum = 16

// A Claim asks to use an approval now.
type Claim struct {
	Session  string
	Envelope string // id; "" finds it by session and plan
	PlanHash string // of the plan as resolved just now, by the process that will run it
	// identifies the process later, to tell whether the run is alive: pid and start time; stored,
	// not read
	Runner string
}

// A Permit is the right to run the approved calls of one plan, once, now.
type Permit struct {
	Envelope string         // its id
	Calls    []CallDecision // every call in order; those not approved must be skipped
	Events   []Event        // to be written to the record before anything runs
}
