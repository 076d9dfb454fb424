package permit

import (
	"bytes"
	"context"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// What package pairing needs. The check of passkeys is not in this package, because tada-run links
// this one and takes no answers by passkey.

// Directory returns the state directory.
func (p *Approvals) Directory() *state.Directory { return p.dir }

// Enrolling returns the person who adds a way to answer, after a one-time code where codes are set
// up. Only a person at a terminal may do that.
func (p *Approvals) Enrolling(ctx context.Context, f Factor) (approval.Enrolment, error) {
	store, e, codes, err := p.enrolling(ctx, f)
	if err != nil || !codes {
		return e, err
	}
	return e, p.Deciding(func() ([]approval.Event, error) { return nil, store.SpendTOTP(ctx, e) })
}

// Outside returns an error for a process inside a sandbox.
func (p *Approvals) Outside(a approval.Action) error { return p.Caller().Outside(a) }

// RecordPairing records that a passkey was paired or revoked. Answers of dead processes come before
// it, so that the log has them under the keys that were valid then.
func (p *Approvals) RecordPairing(e approval.Event, c approval.Credential) error {
	log, err := p.record.OpenLog()
	if err != nil {
		return err
	}
	defer log.Close()
	if err := p.Settle(log); err != nil {
		return err
	}
	body, err := approval.PairingBody(e, c)
	if err != nil {
		return err
	}
	return appendTo(log, e.Kind, body)
}

// RecordAct records an act that was confirmed, before it is carried out.
func (p *Approvals) RecordAct(d approval.DoneAct) error {
	body, err := d.Body()
	if err != nil {
		return err
	}
	return p.recordOne(approval.KindAct, body)
}

// RecordVisitor records what happened to a session of the console.
func (p *Approvals) RecordVisitor(v approval.Visitor) error {
	body, err := v.Body()
	if err != nil {
		return err
	}
	return p.recordOne(approval.KindSession, body)
}

func (p *Approvals) recordOne(kind string, body []byte) error {
	log, err := p.record.OpenLog()
	if err != nil {
		return err
	}
	defer log.Close()
	return appendTo(log, kind, body)
}

func appendTo(log *audit.Log, kind string, body []byte) error {
	if _, err := log.Append(kind, body, audit.Durable); err != nil {
		return &record.Error{Kind: kind, Err: err}
	}
	return nil
}

// Paired returns what the log says about a passkey: the one that was paired last under this id, and
// whether it still counts. A passkey that was paired in a part of the log that was deleted is not
// known; then known is false, and so is whole.
func (p *Approvals) Paired(id []byte) (c approval.Credential, known, whole bool, err error) {
	filter := audit.Filter{Kinds: []string{approval.KindFactor}}
	for e, err := range p.record.Newest(filter) {
		if err != nil {
			return c, false, false, err
		}
		c, about := approval.ReadPairing(e.Body)
		if !about || !bytes.Equal(c.ID, id) {
			continue
		}
		event, err := approval.ParseEvent(e.Body)
		return c, err == nil && event.Outcome == approval.OutcomeEnrolled, true, err
	}
	for e, err := range p.record.Entries(audit.Filter{}) {
		return c, false, err == nil && e.Seq == 0, err
	}
	return c, false, true, nil
}
