package approval

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// A task is one operation in a form that another process can do.
type task struct {
	verb   string
	args   plan.Fields
	ticket string // names this task and no other
}

// A result is what a task came to, read in its transaction. It has no more than its verb gives to
// the caller: what one process spells for 63 others, they wait for.
type result struct {
	e       *entry         // of a request
	created bool           // of a request
	id      string         // of a use
	calls   []CallDecision // of a use
	events  []Event
	refusal error // a *Refused or nil
}

// verbs are the operations that every run needs, so that many runs at once need few commits. What
// a person does is alone in its transaction.
var verbs = map[string]func(*tx, task) (result, error){
	"request":  (*tx).requestTask,
	"consume":  (*tx).consumeTask,
	"finish":   (*tx).finishTask,
	"recorded": (*tx).recordedTask,
}

// A Job is one task in a form that a [DB] can have done by another process. The process that does
// it does those of others in the same transaction ([Job.Join]), and answers them after it.
type Job struct {
	s       *Store
	tasks   []task   // its own, then those of others
	results []result // of tasks
}

// do does one task in a transaction. The error is that of the task, too.
func (s *Store) do(ctx context.Context, verb string, args plan.Fields) (result, error) {
	var ticket [16]byte
	if _, err := io.ReadFull(s.o.Rand, ticket[:]); err != nil {
		return result{}, fmt.Errorf("approval: reading randomness: %w", err)
	}
	j := &Job{s: s, tasks: []task{{verb: verb, args: args, ticket: hex.EncodeToString(ticket[:])}}}
	if err := s.db.Do(ctx, j); err != nil {
		return result{}, err
	}
	return j.results[0], j.results[0].refusal
}

// Do does the job, and those that joined it. A task that fails, which is more than being refused,
// fails them all.
func (j *Job) Do(db Tx) error {
	t := j.s.begin(db)
	if err := t.compare(); err != nil {
		return err
	}
	j.results = make([]result, 0, len(j.tasks))
	for _, k := range j.tasks {
		r, err := t.perform(k)
		if err != nil {
			return err
		}
		j.results = append(j.results, r)
	}
	return nil
}

// Ticket names the job and no other. The store knows by it that the job was done already: an answer
// that was lost is no lost approval, and no second one.
func (j *Job) Ticket() string { return j.tasks[0].ticket }

// Line is the job for another process: one line of text.
func (j *Job) Line() ([]byte, error) {
	k := j.tasks[0]
	b, err := canonical.Append(nil, map[string]any{
		"args": map[string]any(k.args), "ticket": k.ticket, "verb": k.verb,
	})
	return append(b, '\n'), err
}

// Join takes over the job in a line of another process, unless it is none.
func (j *Job) Join(line []byte) {
	v, err := canonical.Parse(bytes.TrimSuffix(line, []byte("\n")))
	f := plan.AsFields(v)
	_, ok := f["args"].(map[string]any)
	k := task{verb: f.Text("verb"), args: f.Object("args"), ticket: f.Text("ticket")}
	if err != nil || !ok || k.ticket == "" || verbs[k.verb] == nil || j.has(k.ticket) {
		return
	}
	j.tasks = append(j.tasks, k)
}

func (j *Job) has(ticket string) bool {
	for _, k := range j.tasks[1:] {
		if k.ticket == ticket {
			return true
		}
	}
	return false
}

// Joined is how many jobs of others are done with this one.
func (j *Job) Joined() int { return len(j.tasks) - 1 }

// Alone gives the jobs of others back.
func (j *Job) Alone() { j.tasks = j.tasks[:1] }

// A JobAnswer is what a job of another process came to.
type JobAnswer struct {
	Ticket string
	Line   []byte
}

// Answers are those for the jobs that joined.
func (j *Job) Answers() []JobAnswer {
	var out []JobAnswer
	for i, k := range j.tasks[1:] {
		out = append(out, JobAnswer{k.ticket, j.results[i+1].line(k.ticket)})
	}
	return out
}

// Read reads the answer that another process wrote, and reports whether it is one for this job.
func (j *Job) Read(line []byte) bool {
	v, err := canonical.Parse(bytes.TrimSuffix(line, []byte("\n")))
	f := plan.AsFields(v)
	if err != nil || f.Text("answer") != j.Ticket() {
		return false
	}
	j.results = []result{readResult(f, &j.s.o)}
	return true
}

// perform does one task.
func (t *tx) perform(k task) (result, error) {
	fn, ok := verbs[k.verb]
	if !ok {
		return result{}, fmt.Errorf("approval: task %q is unknown", k.verb)
	}
	before := len(t.events)
	r, err := fn(t, k)
	r.events = t.events[before:len(t.events):len(t.events)]
	if isRefusal(err, &r.refusal) {
		err = nil
	}
	return r, complete(r.events, t.now, r.e, r.refusal, err)
}

// line spells a result for the process that waits for it.
func (r result) line(ticket string) []byte {
	f := plan.Fields{"answer": ticket, "calls": callList(r.calls), "created": r.created, "events": eventList(r.events), "id": r.id}
	var refused *Refused
	if errors.As(r.refusal, &refused) {
		f["refusal"] = map[string]any{
			"code": codeOf(refused.Err), "envelope": refused.Envelope, "events": eventList(refused.Events),
			"instead": refused.Instead, "message": refused.Message, "outcome": refused.Outcome, "until": plan.FormatTime(refused.Until),
		}
	}
	if r.e != nil {
		f["envelope"] = map[string]any(r.e.spell())
	}
	b, err := canonical.Append(make([]byte, 0, 4<<10), map[string]any(f))
	if err != nil {
		return nil
	}
	return append(b, '\n')
}

func readResult(f plan.Fields, o *Options) result {
	r := result{created: f.Flag("created"), events: readEvents(f.List("events")), id: f.Text("id"), calls: readCalls(f.List("calls"))}
	if m, ok := f["refusal"].(map[string]any); ok {
		x := plan.Fields(m)
		r.refusal = &Refused{Envelope: x.Text("envelope"), Outcome: x.Text("outcome"), Message: x.Text("message"), Instead: x.Text("instead"),
			Until: x.Time("until"), Events: readEvents(x.List("events")), Err: errorOf(x.Text("code"))}
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
