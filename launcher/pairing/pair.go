package pairing

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/state"
)

// PairBegin returns the options of a pairing, as JSON for the browser's function
// PublicKeyCredential.parseCreationOptionsFromJSON. origin is that of the console's pages, never
// what a request says. The error is [ErrToken] for a token that is of no use.
func (d *Desk) PairBegin(token, origin string) ([]byte, error) {
	p, err := pendingFor(d.dir, token, origin)
	if err != nil {
		return nil, err
	}
	known, err := d.Passkeys()
	if err != nil {
		return nil, err
	}
	return passkey.CreateOptions(token, origin, p.Name, known)
}

// PairFinish checks what PublicKeyCredential.toJSON returned, and trusts the new passkey. The token
// is spent then. A response that does not pass leaves it as it was.
func (d *Desk) PairFinish(token, origin string, response []byte) (passkey.Known, error) {
	none := passkey.Known{}
	if err := d.approvals.Outside(approval.Enrol); err != nil {
		return none, err
	}
	lock, err := d.lock()
	if err != nil {
		return none, err
	}
	defer lock.Close()
	p, err := pendingFor(d.dir, token, origin)
	if err != nil {
		return none, err
	}
	c, err := passkey.Created(response, token, origin)
	if err != nil {
		return none, errors.Join(err, d.approvals.TurnedAway(err, approval.ChannelPasskey))
	}
	list, err := d.Passkeys()
	if err != nil {
		return none, err
	}
	if list.Find(c.ID) != nil {
		return none, errors.New(
			"this passkey is paired already; on the machine, try: tadactl key list")
	}
	c.Name, c.MaxRisk = p.Name, p.MaxRisk
	if err := c.Check(); err != nil {
		return none, err
	}
	if err := os.Remove(d.dir.Pairing()); err != nil {
		return none, err
	}
	if err := state.SyncFolder(d.dir.Runtime()); err != nil {
		return none, err
	}
	k := passkey.Known{Credential: c, Added: d.dir.Now().UTC()}
	if err := d.record(c, permit.Person(), approval.OutcomeEnrolled); err != nil {
		return none, err
	}
	return k, d.write(append(list, k))
}

// record writes the entry of a passkey that was paired or revoked.
func (d *Desk) record(c approval.Credential, by, outcome string) error {
	what := fmt.Sprintf("passkey %s for %q, up to risk %d", c.Signer(), c.RP, c.MaxRisk)
	return d.approvals.RecordPairing(approval.FactorEvent(d.dir.Now(),
		approval.Enrolment{Account: by, Approver: by}, outcome, what), c)
}

// Revoke takes passkeys back: the one whose id begins with a prefix, or all of a person. Only a
// person at a terminal may do it. It needs no code, because the authenticator may be on the phone
// that was lost.
func (d *Desk) Revoke(which string) (passkey.List, error) {
	if _, err := d.approvals.May(approval.Enrol, approval.ChannelTadactl); err != nil {
		return nil, err
	}
	lock, err := d.lock()
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	list, err := d.Passkeys()
	if err != nil {
		return nil, err
	}
	gone, err := matching(list, which)
	if err != nil {
		return nil, err
	}
	for _, k := range gone {
		// the list first: an answer is not taken from here on, even if the log is full
		list = slices.DeleteFunc(list, func(o passkey.Known) bool {
			return string(o.ID) == string(k.ID)
		})
		if err := d.write(list); err != nil {
			return nil, err
		}
		if err := d.record(k.Credential, permit.Person(), approval.OutcomeRemoved); err != nil {
			return nil, err
		}
	}
	return gone, nil
}

// matching returns the passkeys of a person, or the one whose id begins with a prefix.
func matching(list passkey.List, which string) (passkey.List, error) {
	var found passkey.List
	for _, k := range list {
		if k.Name == which {
			found = append(found, k)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	for _, k := range list {
		if len(which) > 0 && strings.HasPrefix(k.Short(), which) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("passkey %q: there is none; try: tadactl key list", which)
	case 1:
		return found, nil
	}
	return nil, fmt.Errorf("passkey %q: %w; type more characters", which, state.ErrAmbiguous)
}
