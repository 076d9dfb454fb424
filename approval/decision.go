package approval

import (
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// A Decision is a person's answer. Nothing in it can change what was asked.
type Decision struct {
	Envelope  string         // id
	PlanHash  string         // of what the person saw, in full
	Calls     []CallDecision // one for each call of the envelope, in its order
	Challenge string         // what the person typed, if Friction requires it
	Factor    string         // the second factor that was checked, if Friction requires one
	Approver  string         // the person, for the record
	Channel   string         // "tty", "tadactl", "inbox", ..., for the record

	Person string // who counts as one in a quorum; "" means Approver
	// a one-time code, where Friction asks for a second factor and EnrollTOTP was called
	Code string
	// every line of the full page was shown: see Reading. Required if the page is truncated
	Paged bool
	// from showing the page to the answer; 0 means since the question was asked
	Took time.Duration

	Via Via // how it came, for the record

	signed bool   // by a key of the trust list; replaces challenge and factor
	token  string // id of the signed answer
}

func (d Decision) person() string {
	if d.Person != "" {
		return d.Person
	}
	return d.Approver
}

// Choice returns the choice that is allowed from now on; 0 for none.
func (d Decision) Choice() int {
	for _, c := range d.Calls {
		if c.Approved && c.Choice != 0 {
			return c.Choice
		}
	}
	return 0
}

func (d *Decision) approvesAny() bool {
	return slices.ContainsFunc(d.Calls, func(c CallDecision) bool { return c.Approved })
}

func (d *Decision) approvesAll() bool {
	return !slices.ContainsFunc(d.Calls, func(c CallDecision) bool { return !c.Approved })
}

// A CallDecision is the answer to one call. The zero value denies.
type CallDecision struct {
	ID       string
	Approved bool
	Message  string // to the agent, at most MaxMessage characters

	// Instead is a command that the person prefers, given with a denial. It permits nothing: it
	// gets a plan, a hash and a question of its own. A list of commands is one call, so this is how
	// to allow a part of it.
	Instead string

	// Choice is which of the plan's [plan.Choices] is allowed from now on, from 1 on; 0 for none.
	// It makes no grant by itself: see [Store.Grant].
	Choice int
}

// MaxInstead is the maximum length of such a command, in bytes.
const MaxInstead = 8 << 10

// MaxMessage is the maximum length of a message to the agent, in characters: enough for advice, not
// for a document.
const MaxMessage = 500

func readCalls(list []any) []CallDecision {
	var out []CallDecision
	for _, v := range list {
		c := plan.AsFields(v)
		out = append(out, CallDecision{ID: c.Text("tool_call_id"), Approved: c.Flag("approved"),
			Message: c.Text("message"), Instead: c.Text("instead")})
	}
	return out
}

func callList(calls []CallDecision) []any {
	out := make([]any, 0, len(calls))
	for _, c := range calls {
		call := map[string]any{"approved": c.Approved, "message": c.Message, "tool_call_id": c.ID}
		if c.Instead != "" {
			call["instead"] = c.Instead
		}
		out = append(out, call)
	}
	return out
}

func firstMessage(calls []CallDecision) string {
	for _, c := range calls {
		if c.Message != "" {
			return c.Message
		}
	}
	return ""
}

func firstInstead(calls []CallDecision) string {
	for _, c := range calls {
		if c.Instead != "" {
			return c.Instead
		}
	}
	return ""
}
