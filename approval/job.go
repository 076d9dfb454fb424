package approval

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// A Job is one task in a form that a [DB] may pass to another process. That process does it
// together with the jobs of others in one transaction ([Job.Join]) and answers them afterwards.
type Job struct {
	path    string // of the database
	o       Options
	tasks   []task   // its own, then those of others
	results []result // of tasks
}

// Do does the job and those that joined it. A refusal is a result; a task that fails makes them all
// fail.
func (j *Job) Do(db Tx) error {
	t := begin(db, j.path, j.o)
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

// Ticket identifies the job. It tells the store that the job was already done, so a lost answer
// neither loses an approval nor creates a second one.
func (j *Job) Ticket() string { return j.tasks[0].ticket }

// Line returns the job as one line of text, for another process.
func (j *Job) Line() ([]byte, error) {
	k := j.tasks[0]
	b, err := canonical.Append(nil, map[string]any{
		"args": map[string]any(k.args), "ticket": k.ticket, "verb": k.verb,
	})
	return append(b, '\n'), err
}

// Join takes over the job in a line from another process. A line that is not a job is ignored.
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
	return slices.ContainsFunc(j.tasks[1:], func(k task) bool { return k.ticket == ticket })
}

// Joined is the number of jobs of others that are done with this one.
func (j *Job) Joined() int { return len(j.tasks) - 1 }

// Alone drops the jobs of others.
func (j *Job) Alone() { j.tasks = j.tasks[:1] }

// A JobAnswer is the result of another process's job.
type JobAnswer struct {
	Ticket string
	Line   []byte
}

// Answers returns the answers to the jobs that joined.
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
	j.results = []result{readResult(f, &j.o)}
	return true
}

// verbs are the operations that every run needs, so that many runs at once need few commits. What a
// person does has a transaction of its own.
var verbs = map[string]func(*tx, task) (result, error){
	"request":  (*tx).requestTask,
	"consume":  (*tx).consumeTask,
	"finish":   (*tx).finishTask,
	"recorded": (*tx).recordedTask,
}

// perform does one task. If the answer to an earlier attempt was lost, its result is that of both.
func (t *tx) perform(k task) (result, error) {
	fn, ok := verbs[k.verb]
	if !ok {
		return result{}, fmt.Errorf("approval: task %q is unknown", k.verb)
	}
	t.ticket = k.ticket
	before := len(t.events)
	r, err := fn(t, k)
	r.events = t.events[before:len(t.events):len(t.events)]
	if isRefusal(err, &r.refusal) {
		err = nil
	}
	if r.again || r.refusal != nil {
		r.events = t.emitted(k.ticket)
		r.created = slices.ContainsFunc(r.events,
			func(e Event) bool { return e.Kind == KindIssued })
	}
	return r, complete(r.events, t.now, r.e, r.refusal, err)
}
