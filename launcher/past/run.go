package past

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
)

// A Run is one run, read from the log.
type Run struct {
	ID      string    `json:"id"`
	Began   time.Time `json:"began"`
	Command string    `json:"command"`
	// the agent's own command, if its program put it into a text of its own
	Inside string `json:"inside,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Dir    string `json:"cwd"`
	Judged
	// announced, refused (by the policy), waiting (for an answer), approved (it can be run again),
	// denied, withdrawn, expired, running, failed, ended, lost: it was started, and its end is not
	// known
	State string `json:"state"`
	Result
	Envelope string `json:"envelope,omitempty"`
	Confined

	WorkItem string `json:"work_item,omitempty"`
	// that it was started by: policy, approval, grant
	Authority string    `json:"authority,omitempty"`
	Ended     time.Time `json:"ended,omitzero"`
	// tada-run --session: while it runs, others can attach
	Session bool   `json:"session,omitempty"`
	Tier    string `json:"tier,omitempty"`

	Course

	Within string `json:"within,omitempty"` // the session that it ran inside of
	// the log reported it lost, by a mistake of earlier versions, and it went on
	Revived bool `json:"revived,omitempty"`

	// Unproven says that a person has accepted the part of the log with this run after it was found
	// changed: who, when and why. "" for what is proven.
	Unproven string `json:"unproven,omitempty"`

	Process string `json:"-"` // the one that started it and records it
	notes
}

// notes are what other entries are read by.
type notes struct {
	reported bool  // as lost
	asked    bool  // it was refused because a question has no answer yet
	place    int64 // where its first entry begins
	told     int64 // where its newest entry ends
}

// A Course is how a run goes that has not ended.
type Course struct {
	// its command has ended with Status, and processes that it left go on
	Background bool `json:"background,omitempty"`
	// it is stopped, by an order of the fleet
	Paused bool `json:"paused,omitempty"`
}

// A Judged is how a run was judged.
type Judged struct {
	Verdict string `json:"verdict"`
	Plan    string `json:"plan,omitempty"` // the name of its plan in the record

	Rules []string `json:"-"` // those that had this verdict
}

// A Confined is what a run was confined to.
type Confined struct {
	Level   string `json:"level,omitempty"`
	Network string `json:"network,omitempty"` // whom it might contact
}

// A Result is how the command of a run ended.
type Result struct {
	Status   int  `json:"status"`
	Signal   int  `json:"signal,omitempty"`    // that the command ended by
	TimedOut bool `json:"timed_out,omitempty"` // it was stopped after its time limit
	// it ended inside a session, which could not see how
	Unknown bool `json:"status_unknown,omitempty"`
	RunChanges
}

// Exit is the status that the command ended with, and false where it has not ended or that is not
// known.
func (p Run) Exit() (status int, known bool) {
	return p.Status, p.State == Ended && !p.Unknown
}

// IsOf reports whether a run was proposed by an agent, by the name that it gives itself.
func (p Run) IsOf(agent string) bool {
	name := strings.TrimPrefix(p.Agent, "?")
	return name == agent || strings.TrimPrefix(name, "mcp/") == agent
}

// The states of a run, and of a request that did not become one.
const (
	Announced = "announced"
	Running   = "running"
	Ended     = "ended"
	Lost      = "lost" // its launcher died before the end
	Failed    = "failed"
	Refused   = "refused"
	Waiting   = "waiting" // its question has no answer yet
	Approved  = "approved"
	Denied    = "denied"
	Withdrawn = "withdrawn"
	Expired   = "expired"
)

// states maps the kind of an entry to the state of its run.
var states = map[string]string{
	record.KindIntent: Announced, record.KindDenied: Refused, record.KindStart: Running,
	audit.KindLeft: Running, record.KindFailed: Failed, record.KindEnd: Ended,
	audit.KindOrphan: Lost,
}

// questionStates maps an entry about a question to the state of the request that asked it and ended
// without an answer.
var questionStates = map[[2]string]string{ // by kind and outcome
	{approval.KindDecided, approval.OutcomeApproved}:   Approved,
	{approval.KindRejected, approval.OutcomeDenied}:    Denied,
	{approval.KindRejected, approval.OutcomeCancelled}: Withdrawn,
	{approval.KindExpired, approval.OutcomeExpired}:    Expired,
}

// deniedState is the state of a request that was not run, by what the log says about its refusal.
func deniedState(code, status string) string {
	switch {
	case status == "cancelled":
		return Withdrawn
	case code == "human_denied":
		return Denied
	}
	return Refused
}

// pastOf puts a run together from the entries about it, oldest first.
func pastOf(about []audit.Entry) (Run, error) {
	var r Run
	for i, e := range about {
		if err := r.add(e, i == 0); err != nil {
			return r, fmt.Errorf("entry %d of the log: %w", e.Seq, err)
		}
	}
	return r, nil
}

// add adds what an entry says about the run.
func (r *Run) add(e audit.Entry, first bool) error {
	var body struct {
		SID, Command, Inside, Agent, Cwd, Verdict, Plan, Level, Authority, Launcher, Tier,
		Within string
		Rules    []string
		Network  any // of a start its line, of an end the connections
		Session  bool
		TimedOut bool `json:"timed_out"`

		Envelope string `json:"envelope_id"`
		WorkItem string `json:"work_item"`
		Status   any
		Code     string
		Signal   int
		Started  bool
		RunChanges
	}
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return err
	}
	if first {
		*r = Run{ID: body.SID, Began: e.Time, Command: body.Command, Inside: body.Inside,
			Agent: body.Agent, Dir: body.Cwd, Judged: Judged{body.Verdict, body.Plan, body.Rules},
			WorkItem: body.WorkItem, Session: body.Session, Tier: body.Tier, Within: body.Within,
			notes: notes{place: e.Offset}}
	}
	r.told = e.Place().Size
	r.Revived = r.Revived || r.reported && e.Kind != audit.KindOrphan
	r.reported = r.reported || e.Kind == audit.KindOrphan
	r.Paused = e.Kind == record.KindPaused
	if r.Paused || e.Kind == record.KindContinued {
		return nil
	}
	r.asked = e.Kind == record.KindDenied && body.Code == "pending"
	r.State, r.Background = states[e.Kind], e.Kind == audit.KindLeft
	if status, _ := body.Status.(string); e.Kind == record.KindDenied {
		r.State = deniedState(body.Code, status)
	}
	r.Envelope, r.Level = cmp.Or(body.Envelope, r.Envelope), cmp.Or(body.Level, r.Level)
	if line, ok := body.Network.(string); ok {
		r.Network = line
	}
	r.Authority, r.Process = cmp.Or(body.Authority, r.Authority), cmp.Or(body.Launcher, r.Process)
	if slices.Contains(record.Ends, e.Kind) {
		r.Ended = e.Time
	}
	if e.Kind == audit.KindOrphan && !body.Started {
		r.State = Announced // its launcher died before it could say that it had let it go
	}
	if status, ok := body.Status.(float64); ok &&
		(e.Kind == record.KindEnd || e.Kind == audit.KindLeft) {
		r.Status, r.Signal, r.TimedOut = int(status), body.Signal, body.TimedOut
		r.RunChanges = body.RunChanges
	} else {
		r.Unknown = e.Kind == record.KindEnd
	}
	return nil
}

// Recorded is a name as entries have it: each byte that is not UTF-8 is U+FFFD there.
func Recorded(name string) string { return string([]rune(name)) }
