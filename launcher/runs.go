package launcher

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// errNoTranscript is for a session that the log knows of: a refusal, or a transcript that is gone.
var errNoTranscript = errors.New("it has no transcript")

// Session returns the id of the session with a transcript that begins with prefix, or the newest
// for "".
func (l *Launcher) Session(prefix string) (string, error) {
	ids, err := l.Sessions()
	if err != nil {
		return "", err
	}
	switch {
	case prefix == "" && len(ids) == 0:
		return "", errors.New("no session is recorded yet; try: tada-run 'ls -l'")
	case prefix == "":
		return ids[len(ids)-1], nil
	}
	id, err := oneSession(ids, prefix)
	if errors.Is(err, state.ErrNoSuch) {
		if past, known := l.Past(prefix); known == nil {
			err = fmt.Errorf("session %q (%s): %w; try: tadactl show %s", past.ID, past.State,
				errNoTranscript, past.ID)
		}
	}
	return id, err
}

// oneSession is only for sessions, with the next command to type.
func oneSession(ids []string, prefix string) (string, error) {
	id, err := state.Only(ids, prefix)
	switch {
	case errors.Is(err, state.ErrAmbiguous):
		err = fmt.Errorf("session %q: %w; type more characters", prefix, err)
	case err != nil:
		err = fmt.Errorf("session %q: %w; try: tadactl sessions", prefix, err)
	}
	return id, err
}

// A Past is one run, read from the log.
type Past struct {
	ID      string    `json:"id"`
	Began   time.Time `json:"began"`
	Command string    `json:"command"`
	// the agent's own command, if its program put it into a text of its own
	Inside string `json:"inside,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Dir    string `json:"cwd"`
	PastVerdict
	// announced, refused (by the policy), waiting (for an answer), approved (it can be run again),
	// denied, withdrawn, expired, running, failed, ended, lost: it was started, and its end is not
	// known
	State string `json:"state"`
	PastExit
	Envelope string `json:"envelope,omitempty"`
	PastSandbox

	WorkItem string `json:"work_item,omitempty"`
	// that it was started by: policy, approval, grant
	Authority string    `json:"authority,omitempty"`
	Ended     time.Time `json:"ended,omitzero"`
	// tada-run --session: while it runs, others can attach
	Session bool   `json:"session,omitempty"`
	Tier    string `json:"tier,omitempty"`

	// its command has ended with Status, and processes that it left go on
	Background bool `json:"background,omitempty"`

	Within string `json:"within,omitempty"` // the session that it ran inside of
	// the log reported it lost, by a mistake of earlier versions, and it went on
	Revived bool `json:"revived,omitempty"`

	// Unproven says that a person has accepted the part of the log with this run after it was found
	// changed: who, when and why. "" for what is proven.
	Unproven string `json:"unproven,omitempty"`

	launcher string // the process that started it and records it, see runner
	reported bool   // as lost
	asked    bool   // it was refused because a question has no answer yet
	told     int64  // where the newest entry about it begins
}

// A PastVerdict is how a run was judged.
type PastVerdict struct {
	Verdict string `json:"verdict"`
	Plan    string `json:"plan,omitempty"` // the name of its plan in the record
}

// A PastSandbox is what a run was confined to.
type PastSandbox struct {
	Level   string `json:"level,omitempty"`
	Network string `json:"network,omitempty"` // whom it might contact
}

// A PastExit is how the command of a run ended.
type PastExit struct {
	Status   int  `json:"status"`
	Signal   int  `json:"signal,omitempty"`    // that the command ended by
	TimedOut bool `json:"timed_out,omitempty"` // it was stopped after its time limit
	// it ended inside a session, which could not see how
	Unknown bool `json:"status_unknown,omitempty"`
	RunChanges
}

// Exit is the status that the command ended with, and false where it has not ended or that is not
// known.
func (p Past) Exit() (status int, known bool) {
	return p.Status, p.State == pastStates[record.KindEnd] && !p.Unknown
}

// pastStates maps the kind of an entry to the state of its run.
var pastStates = map[string]string{
	record.KindIntent: "announced", record.KindDenied: "refused", record.KindStart: "running",
	audit.KindLeft: "running", record.KindFailed: "failed", record.KindEnd: "ended",
	audit.KindOrphan: "lost",
}

// questionStates maps an entry about a question to the state of the request that asked it and ended
// without an answer.
var questionStates = map[[2]string]string{ // by kind and outcome
	{approval.KindDecided, approval.OutcomeApproved}:   "approved",
	{approval.KindRejected, approval.OutcomeDenied}:    "denied",
	{approval.KindRejected, approval.OutcomeCancelled}: "withdrawn",
	{approval.KindExpired, approval.OutcomeExpired}:    "expired",
}

// deniedState is the state of a request that was not run, by what the log says about its refusal.
func deniedState(code, status string) string {
	switch {
	case status == "cancelled":
		return "withdrawn"
	case code == "human_denied":
		return "denied"
	}
	return pastStates[record.KindDenied]
}

// Runs returns every request that the log knows, oldest first.
func (l *Launcher) Runs() ([]Past, error) {
	runs, err := l.readRuns()
	if err != nil {
		return runs, err
	}
	dead, asked, alive := map[string]bool{}, false, audit.Alive(l.state.Audit())
	for _, r := range runs {
		if r.State == "running" && !alive(r.ID) {
			dead[r.ID] = true
		}
		asked = asked || r.asked
	}
	var waiting map[string]bool
	if asked {
		waiting = l.waiting()
	}
	// by the log
	open := func(r Past) bool { return r.asked && r.State == pastStates[record.KindDenied] }
	closed := func(r Past) bool { return open(r) && waiting != nil && !waiting[r.Envelope] }
	if len(dead) > 0 || slices.ContainsFunc(runs, closed) {
		// or ended since they were read: an end is in the log before it shows elsewhere
		if runs, err = l.readRuns(); err != nil {
			return runs, err
		}
	}
	for i := range runs {
		switch r := &runs[i]; {
		case r.State == "running" && dead[r.ID]:
			r.State = "lost"
		case open(*r) && waiting[r.Envelope]:
			r.State = "waiting"
		case closed(*r): // its time is over, and nothing has recorded that yet
			r.State = "expired"
		}
	}
	return runs, nil
}

// waiting are the questions that have no answer yet. The log can be read without the store of
// approvals: where that cannot be read, none is known.
func (l *Launcher) waiting() map[string]bool {
	ctx, cancel := permit.StoreContext()
	defer cancel()
	list, err := l.Pending(ctx)
	if err != nil {
		return nil
	}
	ids := make(map[string]bool, len(list))
	for _, e := range list {
		ids[e.ID] = e.Decision == nil
	}
	return ids
}

// readRuns is Runs by the log alone.
func (l *Launcher) readRuns() ([]Past, error) {
	runs, index := []Past{}, map[string]int{}
	answers, granted := map[string]string{}, map[string]bool{} // by question
	// the first line that is no entry and was not set apart
	var bad *audit.BadEntry
	for e, err := range l.Entries(audit.Filter{Kinds: []string{"exec.", audit.KindAccept, audit.KindRecover, approval.KindDecided, approval.KindRejected, approval.KindExpired, approval.KindGranted}}) {
		var found *audit.BadEntry
		switch {
		case errors.Is(err, os.ErrNotExist):
			return runs, nil
		case errors.As(err, &found):
			bad = cmp.Or(bad, found)
			continue
		case err != nil:
			return runs, err
		}
		if g, ok := e.Gap(); ok {
			if bad != nil && g.Holds(bad.Offset) {
				bad = nil
			}
			markUnproven(runs, g)
			continue
		}
		if strings.HasPrefix(e.Kind, "approval.") {
			var about struct {
				Envelope string `json:"envelope_id"`
				Outcome  string
			}
			if err := json.Unmarshal(e.Body, &about); err != nil {
				return runs, fmt.Errorf("entry %d of the log: %w", e.Seq, err)
			}
			granted[about.Envelope] = granted[about.Envelope] || e.Kind == approval.KindGranted
			answers[about.Envelope] = questionStates[[2]string{e.Kind, about.Outcome}]
			continue
		}
		var body struct {
			SID, Command, Inside, Agent, Cwd, Verdict, Plan, Level, Authority, Launcher, Tier,
			Within string
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
			return runs, fmt.Errorf("entry %d of the log: %w", e.Seq, err)
		}
		i, known := index[body.SID]
		if !known {
			i = len(runs)
			index[body.SID] = i
			runs = append(runs, Past{ID: body.SID, Began: e.Time, Command: body.Command,
				Inside: body.Inside, Agent: body.Agent, Dir: body.Cwd,
				PastVerdict: PastVerdict{body.Verdict, body.Plan},
				WorkItem:    body.WorkItem,
				Session:     body.Session, Tier: body.Tier, Within: body.Within})
		}
		r := &runs[i]
		r.Revived = r.Revived || r.reported && e.Kind != audit.KindOrphan
		r.reported = r.reported || e.Kind == audit.KindOrphan
		r.asked = e.Kind == record.KindDenied && body.Code == "pending"
		r.told = e.Offset
		r.State, r.Background = pastStates[e.Kind], e.Kind == audit.KindLeft
		if status, _ := body.Status.(string); e.Kind == record.KindDenied {
			r.State = deniedState(body.Code, status)
		}
		r.Envelope, r.Level = cmp.Or(body.Envelope, r.Envelope), cmp.Or(body.Level, r.Level)
		if line, ok := body.Network.(string); ok {
			r.Network = line
		}
		r.Authority, r.launcher = cmp.Or(body.Authority, r.Authority),
			cmp.Or(body.Launcher, r.launcher)
		if slices.Contains(record.Ends, e.Kind) {
			r.Ended = e.Time
		}
		if e.Kind == audit.KindOrphan && !body.Started {
			r.State = "announced" // its launcher died before it could say that it had let it go
		}
		if status, ok := body.Status.(float64); ok &&
			(e.Kind == record.KindEnd || e.Kind == audit.KindLeft) {
			r.Status, r.Signal, r.TimedOut = int(status), body.Signal, body.TimedOut
			r.RunChanges = body.RunChanges
		} else {
			r.Unknown = e.Kind == record.KindEnd
		}
	}
	for i := range runs {
		if r := &runs[i]; r.asked {
			r.State = cmp.Or(answers[r.Envelope], r.State)
			if granted[r.Envelope] { // the question was withdrawn, in the place of the grant
				r.State = "approved"
			}
		}
	}
	if bad != nil {
		return runs, bad
	}
	return runs, nil
}

// markUnproven marks the runs in an accepted part of the log.
func markUnproven(runs []Past, g audit.Gap) {
	for i := range runs {
		if g.Covers(runs[i].told) && runs[i].Unproven == "" {
			runs[i].Unproven = g.Unproven()
		}
	}
}

// Past returns the run whose id begins with prefix, refused ones included.
func (l *Launcher) Past(prefix string) (Past, error) {
	runs, err := l.Runs()
	if err != nil {
		return Past{}, err
	}
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	id, err := oneSession(ids, prefix)
	if err != nil {
		return Past{}, err
	}
	return runs[slices.IndexFunc(runs, func(r Past) bool { return r.ID == id })], nil
}
