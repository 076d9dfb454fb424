package pairing

import (
	"errors"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/launcher/permit"
)

// ActBegin returns the options for an act, as JSON for the browser's function
// PublicKeyCredential.parseRequestOptionsFromJSON. The error wraps ErrUntrusted if no passkey of
// the host may do it.
func (d *Desk) ActBegin(a approval.Act, origin string) ([]byte, error) {
	list, err := d.Passkeys()
	if err != nil {
		return nil, err
	}
	return passkey.ActOptions(a, origin, list)
}

// ActByPasskey checks what PublicKeyCredential.toJSON returned for an act, records the act with it,
// and returns who signed. The caller sees to it that each act is taken once and soon after
// [Desk.ActBegin]. device is the browser, for the record. An assertion that does not pass is
// recorded too.
func (d *Desk) ActByPasskey(a approval.Act, origin, device string, response []byte) (string,
	error) {
	if _, err := passkey.Host(origin); err != nil {
		return "", err
	}
	if _, err := d.approvals.May(approval.ApproveLow, approval.ChannelToken); err != nil {
		return "", err
	}
	lock, err := d.lock()
	if err != nil {
		return "", err
	}
	defer lock.Close()
	done := approval.DoneAct{Act: a, Device: device}
	if err := d.confirmed(&done, origin, response); err != nil {
		return "", errors.Join(err, d.turnedAway(err))
	}
	return done.By, d.approvals.RecordAct(done)
}

// confirmed adds to an act whose passkey has signed it.
func (d *Desk) confirmed(done *approval.DoneAct, origin string, response []byte) error {
	text, err := done.Statement()
	if err != nil {
		return err
	}
	if done.Passkey, err = passkey.ReadAssertion(response, text); err != nil {
		return err
	}
	list, k, err := d.find(done.Passkey.Credential)
	if err != nil {
		return err
	}
	done.By = k.Signer()
	if err := passkey.CheckAct(done.Act, k.Credential, done.Passkey, origin); err != nil {
		return err
	}
	return d.count(list, k, done.Passkey)
}

// ActByCode records an act for which the code at the terminal was typed, and returns whose terminal
// it is. Whether it was the code is known to the caller.
func (d *Desk) ActByCode(a approval.Act, device string) (string, error) {
	risk, known := a.Risk()
	if !known {
		return "", &approval.TokenError{Err: approval.ErrMalformed, Detail: "there is no such act"}
	}
	if _, err := d.approvals.May(approval.Approve(risk), approval.ChannelWeb); err != nil {
		return "", err
	}
	done := approval.DoneAct{Act: a, By: permit.Person(), Device: device}
	return done.By, d.approvals.RecordAct(done)
}
