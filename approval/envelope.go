package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
)

// An Envelope is one question to a person, as the store knows it. What it was born with never
// changes.
type Envelope struct {
	ID       string    // UUID version 4; the only name of it that an agent may learn
	WorkItem string    // payload work_item_id
	Agent    string    // payload agent_name
	Session  string    // who may use it
	PlanHash string    // SHA-256 of Payload, 64 hexadecimal digits
	Issued   time.Time // UTC
	Expires  time.Time // UTC; the question is dead at this very instant
	Calls    []string  // tool_call_id of each call, in order
	Risk     int       // payload risk
	Trust    Level     // payload trust
	Rules    []string  // rules of the payload's reasons that asked
	Kin      string    // what near-identical questions have in common; see Grouped
	Through  string    // whose text stood around the command when it was asked, in words; no part of the plan
	Refused  string    // the envelope of a near-identical one that was denied a short while before this was asked; "" for none
	Payload  []byte    // the canonical bytes that are hashed and shown; nil from Pending

	NonceHash string // SHA-256 of the nonce; for a signer elsewhere
	Quorum    int    // how many people must say yes; 0 and 1 are one
	Votes     int    // how many have, while that is not enough
	Requester string // who may not be one of them

	State     State
	Friction  Friction
	Challenge string    // what to type to approve; "" when a key is enough or the envelope is dead. Never for the agent
	Decision  *Decision // the answer; nil while there is none
	UseBy     time.Time // the answer is dead at this instant; zero without one

	Events []Event // what the call that returned this envelope changed: to be written to the record
}

// Approved reports whether a person allowed at least one call and it is not yet used.
func (e Envelope) Approved() bool {
	return e.State == Pending && e.Decision != nil && e.Decision.approvesAny()
}

// Prefix returns the first 12 digits of a plan hash in three groups, the form in which prompts and
// records show it. 48 bits, because 32 can be met by padding a command until its hash fits.
func Prefix(planHash string) string {
	if len(planHash) < 12 {
		return planHash
	}
	return planHash[:4] + " " + planHash[4:8] + " " + planHash[8:12]
}

// PlanHash returns the SHA-256 of the payload in hexadecimal.
func PlanHash(payload []byte) string {
	sum := sha256.Sum256(payload)
	return hex.EncodeToString(sum[:])
}

// A Request asks for a person's yes to one plan.
type Request struct {
	Session string        // who asks; the same plan in the same session is the same question
	Payload []byte        // the canonical plan: see the package comment
	TTL     time.Duration // shorter than Options.TTL; 0, or anything longer, means Options.TTL

	Quorum    int    // how many different people must say yes; one no is a no. 0 and 1 mean one
	Requester string // the person for whom it is asked, who cannot be one of them; "" for nobody
	Budget    string // whose questions are counted against the limits; "" means Session
	Person    bool   // a person is at the terminal where it is asked, and is never limited
	Through   string // whose text stood around the command, for Envelope.Through
	Canary    bool   // a question that must be denied, to see whether it is: see Canary
}

// MaxQuorum is far more people than can be found in an hour.
const MaxQuorum = 16

// A Decision is a person's answer. It carries nothing that could change what was asked.
type Decision struct {
	Envelope  string         // id
	PlanHash  string         // of what the person saw, in full
	Calls     []CallDecision // one for each call of the envelope, in its order
	Challenge string         // what the person typed, where Friction asks for it
	Factor    string         // which second factor was checked, where Friction asks for one
	Approver  string         // who, for the record
	Channel   string         // where: "tty", "tadactl", "inbox", ..., for the record

	Person string        // who counts as one in a quorum; "" means Approver
	Code   string        // a one-time code, where Friction asks for a second factor and EnrollTOTP was called
	Paged  bool          // every line of the full page was shown: see Reading. Needed where the page is truncated
	Took   time.Duration // from the showing of the page to the answer; 0 means since the question was asked

	Via Via // how it came, for the record

	signed bool   // by a key of the trust list; stands for challenge and factor
	token  string // id of the signed answer
}

func (d Decision) person() string {
	if d.Person != "" {
		return d.Person
	}
	return d.Approver
}

func (d *Decision) approvesAny() bool {
	for _, c := range d.Calls {
		if c.Approved {
			return true
		}
	}
	return false
}

func (d *Decision) approvesAll() bool {
	return !slices.ContainsFunc(d.Calls, func(c CallDecision) bool { return !c.Approved })
}

// A CallDecision is the answer to one call. The zero value denies.
type CallDecision struct {
	ID       string
	Approved bool
	Message  string // to the agent, at most MaxMessage characters

	// Instead is a command that the person would rather see, with a denial. It permits nothing: it
	// has a plan, a hash and a question of its own. A list of commands is one call, so this is the
	// way to allow a part of it.
	Instead string
}

// MaxInstead is how long such a command may be, in bytes.
const MaxInstead = 8 << 10

// MaxMessage is how many characters a denial may tell the agent: room for advice, not for a
// document.
const MaxMessage = 500

// A Claim asks to use an approval now.
type Claim struct {
	Session  string
	Envelope string // id; "" finds it by session and plan
	PlanHash string // of the plan as resolved afresh, just now, by whoever is about to run it
	Runner   string // what tells later whether the run is still alive: pid and start time; kept, not read
}

// A Permit is the right to run the approved calls of one plan, once, now.
type Permit struct {
	Envelope string         // its id
	Calls    []CallDecision // every call in order; those not approved must be skipped
	Events   []Event        // to be written to the record before anything runs
}

// plan is what the store reads from a payload.
type plan struct {
	workItem string
	agent    string
	calls    []string
	risk     int
	trust    Level
	rules    []string
	kin      string
}

// maxRules is how many rules an event names: they are for statistics, the plan has them all.
const maxRules = 16

// readPlan takes from the payload what the envelope repeats, so that the two cannot disagree.
func readPlan(payload []byte) (plan, error) {
	v, err := canonical.Parse(payload)
	if err != nil {
		return plan{}, fmt.Errorf("%w: %v", ErrPayload, err)
	}
	top, ok := v.(map[string]any)
	if !ok {
		return plan{}, fmt.Errorf("%w: not an object", ErrPayload)
	}
	f := fields(top)
	p := plan{workItem: f.text("work_item_id"), agent: f.text("agent_name"), risk: len(ladder) - 1}
	if n, ok := f["risk"].(int64); ok && n >= 0 && n < int64(len(ladder)) {
		p.risk = int(n) // a payload that names no risk is not a harmless one
	}
	p.trust = ParseLevel(f.text("trust"))
	for _, x := range f.list("reasons") {
		r, _ := x.(map[string]any)
		if rule := fields(r).text("rule"); rule != "" && fields(r).text("verdict") != "allow" && len(p.rules) < maxRules && !slices.Contains(p.rules, rule) {
			p.rules = append(p.rules, rule)
		}
	}
	seen := map[string]bool{}
	for _, c := range f.list("tool_calls") {
		call, _ := c.(map[string]any)
		id := fields(call).text("tool_call_id")
		if id == "" || seen[id] {
			return plan{}, fmt.Errorf("%w: tool_call_id %q is empty or repeated", ErrPayload, id)
		}
		seen[id] = true
		p.calls = append(p.calls, id)
	}
	if len(p.calls) == 0 {
		return plan{}, fmt.Errorf("%w: it has no tool_calls", ErrPayload)
	}
	p.kin = kinOf(p, f)
	return p, nil
}

// fields reads an object; what is missing or of another type is the zero value.
type fields map[string]any

func (f fields) text(k string) string { s, _ := f[k].(string); return s }
func (f fields) list(k string) []any  { l, _ := f[k].([]any); return l }
func (f fields) flag(k string) bool   { b, _ := f[k].(bool); return b }
func (f fields) number(k string) int64 {
	switch n := f[k].(type) {
	case int64:
		return n
	case int: // in fields that were never spelled
		return int64(n)
	}
	return 0
}

func (f fields) texts(k string) []string {
	var out []string
	for _, v := range f.list(k) {
		s, _ := v.(string)
		out = append(out, s)
	}
	return out
}

func (f fields) time(k string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, f.text(k))
	return t
}
