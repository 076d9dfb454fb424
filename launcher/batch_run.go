package launcher

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// RunBatch judges all calls of a batch, asks once about all that may run when one of them asks, and
// runs them in their order. Nothing runs before the answer.
//
// The answer holds for the calls as they were shown. Each is judged again when its turn comes; one
// that became another by what ran before it is refused with the code "mismatch", and asked again
// when it is sent again.
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

// ask gets one answer for the whole batch, where any call of it needs one, and spends it.
func (m *batch) ask(ctx context.Context) error {
	if !slices.ContainsFunc(m.calls,
		func(j *Judgement) bool { return j.Verdict.Decision == pathguard.Ask }) {
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
	var by *permit.Authority
	by, m.refusal, err = m.l.permit(ctx, a)
	m.envelope, m.plan, m.answers = by.Envelope, a.Hash(), by.Answers
	err = errors.Join(err, by.Settle())
	if m.refusal != nil && m.refusal.Envelope != "" { // what each call was answered
		if e, err := m.l.Store.Get(ctx, m.refusal.Envelope); err == nil && e.Decision != nil {
			m.answers = e.Decision.Calls
		}
	}
	return err
}

// tampered refuses the batch before a person is asked, when one of its calls would be refused for
// what was done to protected files: an answer would be spent for nothing.
func (m *batch) tampered() (*refusal.Refusal, error) {
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
	result.Outcome, result.Err = m.l.carry(ctx, j, nil,
		func(ctx context.Context, a *attempt) (*permit.Authority, *refusal.Refusal, error) {
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
func (m *batch) permit(ctx context.Context, a *attempt,
	i int) (*permit.Authority, *refusal.Refusal, error) {
	by := &permit.Authority{}
	refusal, err := m.refuse(ctx, a, i)
	if m.envelope != "" && refusal == nil && err == nil && a.Hash() == m.calls[i].Hash() {
		by.Envelope, by.Batch = m.envelope, m.plan
	}
	return by, refusal, err
}

// refuse returns why one call must not run; nil where it may.
func (m *batch) refuse(ctx context.Context, a *attempt, i int) (*refusal.Refusal, error) {
	answer := slices.IndexFunc(m.answers,
		func(c approval.CallDecision) bool { return c.ID == m.Calls[i].CallID })
	allowed := a.Verdict.Decision == pathguard.Allow
	switch {
	case a.Verdict.Decision == pathguard.Deny:
		a.endGrants("a denial in the session")
		return a.denied(), nil
	case answer >= 0 && !m.answers[answer].Approved:
		return a.forPermit().HumanDenied(ctx, m.envelopeOf(), m.answers[answer:answer+1])
	case m.refusal != nil:
		return m.refusal.For(a.Locale(), a.Verdict), nil
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
func skipped(j *Judgement, code, message string) *refusal.Refusal {
	f := refusal.Refusal{Status: "denied", Code: code, Message: message, Retry: "send_again"}
	f.Exit = exit.Denied
	return f.For(j.Locale(), j.Verdict)
}

// finish reports the results of the calls that its approval permitted to the store.
func (m *batch) finish(results []BatchResult) error {
	if m.envelope == "" {
		return nil
	}
	log, err := m.l.OpenLog()
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
	return m.l.FinishApproval(log, m.envelope,
		fmt.Sprintf("%s, %d failed", audit.Plural(len(results), "call"), failed))
}
