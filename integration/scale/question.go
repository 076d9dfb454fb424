package scale

import (
	"context"
	"maps"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
)

// ask is a run that asks a question, and the answer: the first of three gets none, the second a
// denial, the third an approval, which the same command then uses.
func (m *maker) ask(r *run, n int) error {
	ctx := context.Background()
	e, _, err := m.store.Request(ctx, approval.Request{Session: "0/" + r.agent,
		Payload: r.words.bytes(r.payload)})
	if err != nil {
		return err
	}
	r.hash = e.PlanHash
	if err := r.announce(); err != nil {
		return err
	}
	if err := m.tell(ctx); err != nil {
		return err
	}
	if err := r.refused(e.ID); err != nil || n%3 == 0 {
		return err
	}
	m.clock.advance(20 * time.Second)
	answer := permit.Answer(e, n%3 == 2, "", "tadactl")
	answer.Challenge, answer.Paged, answer.Took = e.Challenge, true, 10*time.Second
	if _, err := m.store.Decide(ctx, answer); err != nil {
		return err
	}
	if err := m.tell(ctx); err != nil || n%3 == 1 {
		return err
	}
	return m.use(ctx, r, e)
}

// use runs the command that was approved. It prints and ends as another one did.
func (m *maker) use(ctx context.Context, asked *run, e approval.Envelope) error {
	m.clock.advance(5 * time.Second)
	r, ran := *asked, *pick(m, m.from.ran)
	ran.bodies = maps.Clone(ran.bodies)
	ran.bodies[record.KindIntent], ran.plan = asked.bodies[record.KindIntent], asked.plan
	ran.header.Command = asked.bodies[record.KindIntent]["command"].(string)
	r.template = &ran
	if err := r.announce(); err != nil {
		return err
	}
	_, err := m.store.Consume(ctx, approval.Claim{Session: "0/" + r.agent, Envelope: e.ID,
		PlanHash: e.PlanHash, Runner: m.dir.Self()})
	if err != nil {
		return err
	}
	if err := m.tell(ctx); err != nil {
		return err
	}
	if err := r.start("approval", e.ID); err != nil {
		return err
	}
	if err := r.end(); err != nil {
		return err
	}
	if _, err := m.store.Finish(ctx, e.ID, approval.OutcomeExecuted, "status 0"); err != nil {
		return err
	}
	return m.tell(ctx)
}

// tell writes what happened to questions into the log, and has the store forget it.
func (m *maker) tell(ctx context.Context) error {
	events, err := m.store.Unlogged(ctx)
	if err != nil {
		return err
	}
	if _, err := permit.AppendEvents(m.log, events, audit.Lazy); err != nil {
		return err
	}
	seqs := make([]uint64, len(events))
	for i, e := range events {
		seqs[i] = e.Seq
	}
	return m.store.MarkLogged(ctx, "", seqs...)
}
