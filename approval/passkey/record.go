package passkey

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
)

// A Record checks what the log says about passkeys, entry by entry, oldest first, with nothing but
// these entries. Its zero value is a log that begins here.
type Record struct {
	// Partial says that earlier entries are not known: a passkey may have been paired there.
	Partial bool

	unknown int
	keys    map[string]approval.Credential // by id
	gone    map[string]bool                // revoked
	last    map[string]uint32              // counters
	used    map[string]bool                // ids of assertions
}

// Unknown counts the answers by passkeys that only earlier entries can have paired.
func (r *Record) Unknown() int { return r.unknown }

// Take returns what is wrong with the body of the next entry; "" if nothing is. Entries that are
// not about passkeys say nothing.
func (r *Record) Take(body []byte) string {
	if r.keys == nil {
		r.keys, r.gone = map[string]approval.Credential{}, map[string]bool{}
		r.last, r.used = map[string]uint32{}, map[string]bool{}
	}
	if act, ok, err := approval.ReadDoneAct(body); err != nil {
		return err.Error()
	} else if ok {
		return r.act(act)
	}
	e, err := approval.ParseEvent(body)
	if err != nil {
		return "is not the body of an event"
	}
	c, ok := approval.ReadPairing(body)
	switch {
	case ok:
		return r.pairing(e, c)
	case e.Channel == string(approval.ChannelPasskey), len(e.Via.Passkey.Credential) > 0,
		strings.Contains(string(body), `"passkey":{`):
		if !spelled(body, e) {
			return "has decisions in a form that was not written"
		}
		return r.answer(e)
	}
	return ""
}

// spelled reports whether the decisions of a body are spelled as the event writes them, so that no
// member of them was read as missing.
func spelled(body []byte, e approval.Event) bool {
	list := func(body []byte) []byte {
		v, _ := canonical.Parse(body)
		f, _ := v.(map[string]any)
		text, err := canonical.Append(nil, f["decisions"])
		if err != nil {
			return nil
		}
		return text
	}
	text := list(body)
	return text != nil && bytes.Equal(text, list(e.Body()))
}

// pairing takes the entry of a passkey that was paired or revoked.
func (r *Record) pairing(e approval.Event, c approval.Credential) string {
	id := string(c.ID)
	_, known := r.keys[id]
	switch {
	case e.Outcome == approval.OutcomeRemoved && !known && !r.Partial:
		return "revokes a passkey that was never paired"
	case e.Outcome == approval.OutcomeRemoved:
		delete(r.keys, id)
		r.gone[id] = true
		return ""
	case e.Outcome != approval.OutcomeEnrolled:
		return fmt.Sprintf("does %q to a passkey", e.Outcome)
	case known:
		return "pairs a passkey a second time"
	}
	if err := c.Check(); err != nil {
		return err.Error()
	}
	if err := checkKey(c.Key); err != nil {
		return err.Error()
	}
	delete(r.gone, id)
	r.keys[id] = c
	return ""
}

// key returns the passkey of an assertion; if it does not count, why says so. Both are empty for
// one that an earlier entry may have paired.
func (r *Record) key(a approval.Assertion) (c approval.Credential, why string) {
	c, known := r.keys[string(a.Credential)]
	switch {
	case len(a.Credential) == 0:
		return c, "says that a passkey answered, and has no assertion"
	case r.gone[string(a.Credential)]:
		return c, "was answered with a passkey that was revoked before"
	case !known && r.Partial:
		r.unknown++
		return c, ""
	case !known:
		return c, "was answered with a passkey that was never paired"
	}
	return c, ""
}

// spend notes the use of an assertion that counts, and returns what is wrong with it.
func (r *Record) spend(a approval.Assertion) string {
	id := string(a.Credential)
	if err := CheckCounter(r.last[id], Counter(a)); err != nil {
		return err.Error()
	}
	if r.used[a.TokenID()] {
		return "has an assertion that was used before"
	}
	r.last[id], r.used[a.TokenID()] = Counter(a), true
	return ""
}

// act takes the entry of an act. One that a code confirmed has no proof, and names no passkey.
func (r *Record) act(d approval.DoneAct) string {
	if len(d.Passkey.Credential) == 0 {
		return ""
	}
	c, why := r.key(d.Passkey)
	if why != "" || len(c.ID) == 0 {
		return why
	}
	if d.By != c.Signer() {
		return fmt.Sprintf("names %q, and %q signed", d.By, c.Signer())
	}
	if err := CheckAct(d.Act, c, d.Passkey, ""); err != nil {
		return err.Error()
	}
	return r.spend(d.Passkey)
}

// answer takes the entry of an answer.
func (r *Record) answer(e approval.Event) string {
	a := e.Via.Passkey
	c, why := r.key(a)
	if why != "" || len(c.ID) == 0 {
		return why
	}
	said, err := approval.ReadStatement(a.Answer)
	if err != nil {
		return err.Error()
	}
	if err := Prover("")(c, approval.Challenge(e.PlanHash, e.Envelope, a.Answer), a); err != nil {
		return err.Error()
	}
	if why := fits(e, c, said); why != "" {
		return why
	}
	return r.spend(a)
}

// fits returns what an entry says that its passkey did not sign; "" for nothing.
func fits(e approval.Event, c approval.Credential, said approval.Answer) string {
	signers := strings.Split(e.Approver, ", ")
	switch {
	case e.Channel != string(approval.ChannelPasskey):
		return fmt.Sprintf("was answered over %q, with an assertion", e.Channel)
	case e.Token != e.Via.Passkey.TokenID():
		return "names another assertion than it has"
	case said.NonceHash != e.NonceHash:
		return "has an assertion for another nonce"
	case !slices.Contains(signers, c.Signer()):
		return fmt.Sprintf("names %q, and %q signed", e.Approver, c.Signer())
	case e.Kind != approval.KindRejected && e.Risk > c.MaxRisk:
		return fmt.Sprintf("approves risk %d with a passkey up to %d", e.Risk, c.MaxRisk)
	case len(said.Calls) != len(e.Calls):
		return "decides about other calls than were signed"
	}
	for i, call := range e.Calls {
		signed := said.Calls[i]
		signed.Choice = 0 // the entry of the grant has it
		// of several people, one may have denied what another approved
		denied := len(signers) > 1 && signed.Approved && !call.Approved && signed.ID == call.ID
		if call != signed && !denied {
			return fmt.Sprintf("decides about call %q what was not signed", call.ID)
		}
	}
	return ""
}
