package pairing

import (
	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
)

// SignInBegin returns the options for a sign-in to the console, as JSON for the browser's function
// PublicKeyCredential.parseRequestOptionsFromJSON. They are the same whether a passkey is paired or
// not. origin is that of the console's pages, never what a request says.
func (d *Desk) SignInBegin(ticket, origin string) ([]byte, error) {
	return passkey.SignInOptions(ticket, origin)
}

// SignIn checks what PublicKeyCredential.toJSON returned for a sign-in, and returns the passkey.
// The caller sees to it that each ticket is taken once and soon after [Desk.SignInBegin], and
// records what comes of it. Of an assertion without a good signature nothing is written.
func (d *Desk) SignIn(ticket, origin string, response []byte) (passkey.Known, error) {
	none := passkey.Known{}
	if err := d.approvals.Outside(approval.ApproveLow); err != nil {
		return none, err
	}
	proof, err := passkey.ReadAssertion(response, "")
	if err != nil {
		return none, err
	}
	list, err := d.Passkeys()
	if err != nil {
		return none, err
	}
	k := list.Find(proof.Credential)
	if k == nil {
		return none, unknown()
	}
	// before the lock and the log: anybody may try
	if err := passkey.CheckSignIn(ticket, k.Credential, proof, origin); err != nil {
		return none, err
	}
	lock, err := d.lock()
	if err != nil {
		return none, err
	}
	defer lock.Close()
	if list, k, err = d.find(proof.Credential); err != nil {
		return none, err
	}
	// again: it may be another by now
	if err := passkey.CheckSignIn(ticket, k.Credential, proof, origin); err != nil {
		return none, err
	}
	return *k, d.count(list, k, proof)
}

// IsPaired reports whether the passkey with an id is in the list of those whose answers count.
func (d *Desk) IsPaired(id []byte) (bool, error) {
	list, err := d.Passkeys()
	return err == nil && list.Find(id) != nil, err
}

// Seen records what happened to a session of the console.
func (d *Desk) Seen(v approval.Visitor) error { return d.approvals.RecordVisitor(v) }
