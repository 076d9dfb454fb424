package pairing

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/launcher/permit"
)

// AssertBegin returns the options for an answer, as JSON for the browser's function
// PublicKeyCredential.parseRequestOptionsFromJSON. Of the answer, the caller sets Envelope,
// PlanHash (of what the page showed), Calls (one for each call, in order) and Scope. origin is that
// of the console's pages, never what a request says. The error is an [approval.Refused] if the
// question is not open or has another plan, and wraps ErrUntrusted if no passkey is paired for the
// host.
func (d *Desk) AssertBegin(ctx context.Context, a approval.Answer, origin string) ([]byte, error) {
	a, err := d.fitting(ctx, a)
	if err != nil {
		return nil, err
	}
	list, err := d.Passkeys()
	if err != nil {
		return nil, err
	}
	return passkey.GetOptions(a, origin, list)
}

// fitting returns an answer with what it says about its question.
func (d *Desk) fitting(ctx context.Context, a approval.Answer) (approval.Answer, error) {
	if err := d.approvals.Ready(); err != nil {
		return a, err
	}
	e, err := d.approvals.Store.Get(ctx, a.Envelope)
	switch {
	case err != nil:
		return a, err
	case e.State != approval.Pending || e.Decision != nil:
		return a, &approval.Refused{Envelope: e.ID, Outcome: approval.OutcomeReplayed,
			Err: approval.ErrDecided}
	case e.PlanHash != a.PlanHash:
		return a, &approval.Refused{Envelope: e.ID, Outcome: approval.OutcomeMismatch,
			Err: approval.ErrMismatch}
	}
	a.NonceHash = e.NonceHash
	return a, nil
}

// AnswerByPasskey checks what PublicKeyCredential.toJSON returned, and stores the answer that it
// signed. The answer is the one that AssertBegin had. It replaces the challenge and the second
// factor, and counts as one person, the one of the passkey. The error is an [approval.TokenError]
// for an assertion that does not pass, and an [approval.Refused] if the question was answered by
// another, or the risk is too high for the passkey. Both are recorded. device is the browser, for
// the record.
func (d *Desk) AnswerByPasskey(ctx context.Context, a approval.Answer, origin, device string,
	response []byte) (permit.Taken, error) {
	if _, err := passkey.Host(origin); err != nil {
		return permit.Taken{}, err
	}
	lock, err := d.lock()
	if err != nil {
		return permit.Taken{}, err
	}
	defer lock.Close()
	s, err := d.signed(ctx, a, origin, response)
	if err != nil {
		return permit.Taken{}, errors.Join(err, d.turnedAway(err))
	}
	s.Device = device
	return d.approvals.DecideSigned(ctx, s)
}

// turnedAway records an assertion that does not pass.
func (d *Desk) turnedAway(err error) error {
	if !errors.As(err, new(*approval.TokenError)) {
		return nil
	}
	return d.approvals.TurnedAway(err, approval.ChannelPasskey)
}

// signed returns an answer as its passkey signed it, and counts the use.
func (d *Desk) signed(ctx context.Context, a approval.Answer, origin string,
	response []byte) (approval.Signed, error) {
	none := approval.Signed{}
	a, err := d.fitting(ctx, a)
	if err != nil {
		return none, err
	}
	text, err := a.Statement()
	if err != nil {
		return none, err
	}
	proof, err := passkey.ReadAssertion(response, text)
	if err != nil {
		return none, err
	}
	list, k, err := d.find(proof.Credential)
	if err != nil {
		return none, err
	}
	s, err := approval.VerifyPasskey(a, k.Credential, proof, passkey.Prover(origin), d.dir.Now())
	if err != nil {
		return none, err
	}
	return s, d.count(list, k, proof)
}

// find returns the passkey with an id, and the list that it points into.
func (d *Desk) find(id []byte) (list passkey.List, k *passkey.Known, err error) {
	if list, err = d.Passkeys(); err != nil {
		return nil, nil, err
	}
	if k = list.Find(id); k == nil {
		return nil, nil, unknown()
	}
	return list, k, d.onRecord(k.Credential)
}

func unknown() error {
	return &approval.TokenError{Err: approval.ErrUntrusted,
		Detail: "this passkey is not paired with this machine"}
}

// count notes that a passkey was used, before what it signed counts: an interrupted assertion is
// not taken again.
func (d *Desk) count(list passkey.List, k *passkey.Known, proof approval.Assertion) error {
	now := passkey.Counter(proof)
	if err := passkey.CheckCounter(k.Counter, now); err != nil {
		return fmt.Errorf("passkey %s: %w", k.Signer(), err)
	}
	if k.Counter == now {
		return nil
	}
	k.Counter = now
	return d.write(list)
}

// onRecord returns an error for a passkey that the log does not have as the list has it: the list
// was edited, or an older copy of it was put back, in which the passkey was not revoked yet.
func (d *Desk) onRecord(c approval.Credential) error {
	paired, known, whole, err := d.approvals.Paired(c.ID)
	if err != nil || !known && !whole {
		return err
	}
	if !known || !reflect.DeepEqual(paired, c) {
		return &approval.TokenError{Err: approval.ErrUntrusted, Detail: fmt.Sprintf(
			"passkey %s is in the list, and not in the log or revoked there; on the machine, try: "+
				"tadactl key revoke %s", c.Signer(), c.Short())}
	}
	return nil
}
