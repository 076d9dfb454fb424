package approval

import (
	"errors"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// A task is one operation in a form that another process can do.
type task struct {
	verb   string
	args   plan.Fields
	ticket string // identifies this task
}

// A result is the outcome of a task, read in its transaction. It has only what its verb returns to
// the caller: 63 other processes may be waiting while one process encodes their results.
type result struct {
	e       *entry         // of a request
	created bool           // of a request
	id      string         // of a use
	calls   []CallDecision // of a use
	events  []Event
	refusal error // a *Refused or nil
	again   bool  // it was found done: perhaps by an earlier attempt
}

// line encodes a result for the process that waits for it.
func (r result) line(ticket string) []byte {
	f := plan.Fields{"answer": ticket, "calls": callList(r.calls), "created": r.created,
		"events": eventList(r.events), "id": r.id}
	if refused, ok := errors.AsType[*Refused](r.refusal); ok {
		f["refusal"] = map[string]any{
			"code": codeOf(refused.Err), "envelope": refused.Envelope,
			"events":  eventList(refused.Events),
			"instead": refused.Instead, "message": refused.Message, "outcome": refused.Outcome,
			"until": plan.FormatTime(refused.Until),
		}
	}
	if r.e != nil {
		f["envelope"] = map[string]any(r.e.encode())
	}
	b, err := canonical.Append(make([]byte, 0, 4<<10), map[string]any(f))
	if err != nil {
		return nil
	}
	return append(b, '\n')
}

func readResult(f plan.Fields, o *Options) result {
	r := result{created: f.Flag("created"), events: readEvents(f.List("events")), id: f.Text("id"),
		calls: readCalls(f.List("calls"))}
	if m, ok := f["refusal"].(map[string]any); ok {
		x := plan.Fields(m)
		r.refusal = &Refused{Envelope: x.Text("envelope"), Outcome: x.Text("outcome"),
			Message: x.Text("message"), Instead: x.Text("instead"),
			Until: x.Time("until"), Events: readEvents(x.List("events")),
			Err: errorOf(x.Text("code"))}
	}
	if m, ok := f["envelope"].(map[string]any); ok {
		r.e = readEntry(m, o)
		r.e.Events = r.events
	}
	return r
}

func eventList(events []Event) []any {
	out := make([]any, 0, len(events))
	for _, e := range events {
		out = append(out, map[string]any(e.fields()))
	}
	return out
}

func readEvents(list []any) []Event {
	var out []Event
	for _, v := range list {
		m, _ := v.(map[string]any)
		out = append(out, readEvent(m))
	}
	return out
}
