package launcher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/pathguard"
)

// A Batch is several requests that a person is asked about once, with an answer for each, and that
// run one after the other.
//
// Each request has a CallID of its own. Agent, WorkItem and Profile are those of the first; Ask and Wait
// of the requests are not used. No request should read a standard input that another one reads.
type Batch struct {
	Calls []Request

	Wait time.Duration // how long to wait for a person who is not at this terminal
	Ask  func(context.Context, approval.Envelope) (approval.Decision, error)

	// Stop ends the batch at the first call that was denied or could not be run: for steps that build on each
	// other. One that ran and failed does not end it, as a line of a script does not. Without Stop a denied call
	// is skipped, and the others run.
	Stop bool
	// Begin is called before a call is run or refused, End when that is over, in the order of the
	// calls. Both may be nil.
	Begin func(i int)
	End   func(i int, r BatchResult)
}

// A BatchResult is what came of one call of a batch.
type BatchResult struct {
	ID      string
	Outcome Outcome // with a Refusal when it did not run
	Err     error   // tada-run failed at this call: see [Launcher.Run]
}

// Status is the exit status for this call alone.
func (r BatchResult) Status() int {
	if r.Err != nil {
		return ExitOf(r.Err)
	}
	return r.Outcome.Status
}

// MaxCalls is how many calls a batch may have. Nobody reviews more at once.
const MaxCalls = 64

// ErrBatch is returned by RunBatch for calls that cannot be answered one by one.
var ErrBatch = errors.New("a batch needs 1 to 64 calls with different ids")

// RunBatch judges all calls of a batch, asks once about all that may run when one of them asks, and
// runs them in their order. Nothing runs before the answer.
//
// The answer holds for the calls as they were shown. Each is judged again when its turn comes; one that became
// another by what ran before it is refused with the code "mismatch", and asked again when it is sent again.
//
// There is one result for each call, in order. An error means that nothing ran.
func (l *Launcher) RunBatch(ctx context.Context, b Batch) ([]BatchResult, error) {
	m, err := l.judgeBatch(b)
	if err != nil {
		return nil, err
	}
	defer m.close()
	if err := m.ask(ctx); err != nil {
		return nil, err
	}
	results := make([]BatchResult, 0, len(b.Calls))
	for i := range b.Calls {
		if b.Begin != nil {
			b.Begin(i)
		}
		r := m.run(ctx, i)
		if results = append(results, r); b.End != nil {
			b.End(i, r)
		}
		m.stopped = m.stopped || b.Stop && (r.Outcome.Refusal != nil || r.Err != nil)
	}
	return results, m.finish(results)
}

// A batch is a Batch that was judged, on its way to its results.
type batch struct {
	Batch
	l     *Launcher
	calls []*Judgement // as they were shown

	envelope string                  // of the approval that was consumed; "" while there is none
	plan     string                  // hash of what was asked
	answers  []approval.CallDecision // the person's, for the calls that were asked
	refusal  *Refusal                // why nothing of it may run; nil when it may
	stopped  bool                    // a call was refused or not run, and nothing runs after it
}

func (l *Launcher) judgeBatch(b Batch) (*batch, error) {
	seen := map[string]bool{"": true}
	for _, c := range b.Calls {
		if seen[c.CallID] {
			return nil, fmt.Errorf("call %q: %w", c.CallID, ErrBatch)
		}
		seen[c.CallID] = true
	}
	if n := len(b.Calls); n == 0 || n > MaxCalls {
		return nil, fmt.Errorf("%s: %w", audit.Plural(n, "call"), ErrBatch)
	}
	m := &batch{Batch: b, l: l}
	return m, m.judge()
}

// judge makes the judgements of all calls anew.
func (m *batch) judge() error {
	fresh := make([]*Judgement, 0, len(m.Calls))
	for _, c := range m.Calls {
		j, err := m.l.Judge(c)
		if err != nil {
			for _, j := range fresh {
				_ = j.Close()
			}
			return fmt.Errorf("call %q: %w", c.CallID, err)
		}
		fresh = append(fresh, j)
	}
	m.close()
	m.calls = fresh
	return nil
}

func (m *batch) close() {
	for _, j := range m.calls {
		_ = j.Close()
	}
	m.calls = nil
}

// asked are the calls that a person answers: all that policy does not deny. Those that it allows are
// among them, because what a command does depends on what ran before it.
func (m *batch) asked() []*Judgement {
	return slices.DeleteFunc(slices.Clone(m.calls), func(j *Judgement) bool { return j.Verdict.Decision == pathguard.Deny })
}

// ask gets one answer for the whole batch, where any call of it needs one, and spends it.
func (m *batch) ask(ctx context.Context) error {
	if !slices.ContainsFunc(m.calls, func(j *Judgement) bool { return j.Verdict.Decision == pathguard.Ask }) {
		return nil
	}
	whole, err := m.whole()
	if err != nil {
		return err
	}
	a, err := m.l.attempt(whole, "")
	if err != nil {
		return err
	}
	defer a.log.Close()
	if m.refusal, err = m.tampered(); m.refusal != nil || err != nil {
		return err
	}
	a.rejudge = func() (*Judgement, error) {
		if err := m.judge(); err != nil {
			return nil, err
		}
		return m.whole()
	}
	var by *authority
	by, m.refusal, err = m.l.permit(ctx, a)
	m.envelope, m.plan, m.answers = by.envelope, a.Hash(), by.answers
	err = errors.Join(err, by.settle())
	if m.refusal != nil && m.refusal.Envelope != "" { // what was said to each call
		if e, err := m.l.store.Get(ctx, m.refusal.Envelope); err == nil && e.Decision != nil {
			m.answers = e.Decision.Calls
		}
	}
	return err
}

// tampered refuses the batch before a person is asked, when one of its calls would be refused for what
// was done to protected files: an answer would be spent for nothing.
func (m *batch) tampered() (*Refusal, error) {
	for _, j := range m.asked() {
		e, err := j.Tampered()
		if err != nil {
			return nil, err
		}
		if e != nil {
			return m.l.tampered(j, e.Findings, false), nil
		}
	}
	return nil, nil
}

// run judges one call again and runs it, if what was answered covers it as it is now.
func (m *batch) run(ctx context.Context, i int) BatchResult {
	result := BatchResult{ID: m.Calls[i].CallID}
	j, err := m.l.Judge(m.Calls[i])
	if err != nil {
		result.Err = err
		return result
	}
	result.Outcome, result.Err = m.l.carry(ctx, j, nil, func(ctx context.Context, a *attempt) (*authority, *Refusal, error) {
		return m.permit(ctx, a, i)
	})
	if f := result.Outcome.Refusal; f != nil {
		for k := range f.Items {
			f.Items[k].ID = result.ID
		}
	}
	return result
}

// permit is the permit of one call; see [Launcher.permit] for a request that comes alone.
func (m *batch) permit(ctx context.Context, a *attempt, i int) (*authority, *Refusal, error) {
	by := &authority{}
	refusal, err := m.refuse(ctx, a, i)
	if m.envelope != "" && refusal == nil && err == nil && a.Hash() == m.calls[i].Hash() {
		by.envelope, by.batch = m.envelope, m.plan
	}
	return by, refusal, err
}

// refuse returns why one call must not run; nil where it may.
func (m *batch) refuse(ctx context.Context, a *attempt, i int) (*Refusal, error) {
	answer := slices.IndexFunc(m.answers, func(c approval.CallDecision) bool { return c.ID == m.Calls[i].CallID })
	allowed := a.Verdict.Decision == pathguard.Allow
	switch {
	case a.Verdict.Decision == pathguard.Deny:
		a.endGrants("a denial in the session")
		return a.denied(), nil
	case answer >= 0 && !m.answers[answer].Approved:
		return a.humanDenied(ctx, m.envelopeOf(), m.answers[answer:answer+1])
	case m.refusal != nil:
		return m.refusal.of(a.Judgement), nil
	case m.stopped:
		return skipped(a.Judgement, "stopped", a.say("stopped")), nil
	case m.envelope == "" && !allowed:
		return skipped(a.Judgement, "mismatch", a.say("changed")), nil
	case m.envelope != "" && a.Hash() != m.calls[i].Hash() && !allowed:
		f := skipped(a.Judgement, "mismatch", a.say("changed since"))
		f.Envelope = m.envelope
		return f, nil
	}
	return nil, nil
}

func (m *batch) envelopeOf() string {
	if m.refusal != nil {
		return m.refusal.Envelope
	}
	return m.envelope
}

// skipped is the refusal of a call that its batch leaves out.
func skipped(j *Judgement, code, message string) *Refusal {
	f := Refusal{Status: "denied", Code: code, Message: message, Retry: "send_again"}
	f.exit = ExitDenied
	return f.of(j)
}

// of is the refusal of a batch as that of one call, whose verdict is v.
func (f *Refusal) of(j *Judgement) *Refusal {
	v := j.Verdict
	if v.Decision == pathguard.Allow {
		v.Reasons = nil // they are no reasons against it
	}
	own := refuse(j.locale(), v, f.Status, f.Code, f.Message, f.exit)
	own.Envelope, own.Retry, own.Cooloff, own.HumanCan = f.Envelope, f.Retry, f.Cooloff, f.HumanCan
	if f.exit == ExitTampered {
		own.Items = slices.Clone(f.Items)
	}
	return own
}

// finish tells the store what came of the calls that its approval permitted.
func (m *batch) finish(results []BatchResult) error {
	if m.envelope == "" {
		return nil
	}
	log, err := m.l.openLog()
	if err != nil {
		return err
	}
	defer log.Close()
	failed := 0
	for _, r := range results {
		if r.Status() != 0 {
			failed++
		}
	}
	return m.l.finishApproval(log, m.envelope, fmt.Sprintf("%s, %d failed", audit.Plural(len(results), "call"), failed))
}
