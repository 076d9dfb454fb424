package approval

import (
	"crypto/sha256"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// KindAct is the kind of the log entry of an [Act].
const KindAct = "console.act"

// An Act is what a person does over the console besides answering a question.
type Act struct {
	Do    string // one of those that Risk knows
	On    string // a run, the hash of what was shown, a device
	Nonce string // new for each act
}

// Risk returns the risk that whoever confirms an act must be able to approve; known is false for an
// act that there is not. Control of a terminal can do whatever its program can.
func (a Act) Risk() (risk int, known bool) {
	switch a.Do {
	case "take over":
		return 3, true
	case "undo", "redo":
		return 2, true
	case "continue", "end":
		return 1, true
	case "notify":
		return 0, true
	}
	return 0, false
}

// Statement returns an act in the one spelling that is signed.
func (a Act) Statement() (string, error) {
	text, err := canonical.Append(nil, map[string]any{"do": a.Do, "nonce": a.Nonce, "on": a.On,
		"v": 1})
	return string(text), err
}

// ActChallenge returns what a passkey signs to confirm an act. No answer begins with these words:
// see [Challenge].
func ActChallenge(statement string) [sha256.Size]byte {
	return sha256.Sum256([]byte("tada-run act v1\n" + statement))
}

// A DoneAct is an act that was confirmed, as the log has it.
type DoneAct struct {
	Act
	By     string // the signer of the passkey, or the person at the terminal whose code it was
	Device string // the browser
	// zero if a code confirmed it. Its Answer is the statement of the act
	Passkey Assertion
}

// Body returns the body of the log entry.
func (d DoneAct) Body() ([]byte, error) {
	f := map[string]any{"by": d.By, "device": d.Device, "do": d.Do, "nonce": d.Nonce, "on": d.On}
	if p := d.Passkey.fields(); p != nil {
		f["passkey"] = map[string]any(p)
	}
	return canonical.Append(nil, f)
}

// ReadDoneAct returns the act of the body of a log entry; ok is false for a body about something
// else. The error wraps ErrMalformed for what Body did not write, and for an account that no
// passkey speaks for and that is none of this machine.
func ReadDoneAct(body []byte) (d DoneAct, ok bool, err error) {
	v, err := canonical.Parse(body)
	f := plan.AsFields(v)
	if _, ok = f["do"]; err != nil || !ok {
		return DoneAct{}, false, nil
	}
	d = DoneAct{Act: Act{Do: f.Text("do"), On: f.Text("on"), Nonce: f.Text("nonce")},
		By: f.Text("by"), Device: f.Text("device"),
		Passkey: readAssertion(plan.AsFields(f["passkey"]))}
	again, err := d.Body()
	_, known := d.Risk()
	if err != nil || !known || string(again) != string(body) ||
		len(d.Passkey.Credential) == 0 && !isAccount(d.By) {
		return d, true, tokenError(ErrMalformed, "it is not the entry of an act")
	}
	return d, true, nil
}
