package approval

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/approval/plan"
)

// A Credential is a passkey (WebAuthn) whose answers count. The record has it in the entry of its
// pairing.
type Credential struct {
	ID      []byte // as the authenticator chose it
	Key     []byte // the public key, in COSE
	Name    string // the person; the account of a machine is "uid N"
	MaxRisk int    // it may allow plans up to this risk
	RP      string // the host of the pages that may use it
}

// The limits of a credential. WebAuthn has no id that is longer.
const (
	maxCredentialID  = 1023
	maxCredentialKey = 1 << 10
)

// Short returns the first 16 hexadecimal digits of the SHA-256 of the id, by which people and the
// record name a credential. It proves nothing by itself.
func (c Credential) Short() string {
	sum := sha256.Sum256(c.ID)
	return hex.EncodeToString(sum[:8])
}

// Signer returns how the record names whoever answers with it.
func (c Credential) Signer() string { return c.Short() + " " + c.Name }

// Check returns what keeps a credential from being used; nil if nothing does. It does not read the
// key.
func (c Credential) Check() error {
	switch {
	case len(c.ID) == 0 || len(c.ID) > maxCredentialID:
		return fmt.Errorf("approval: passkey: %w: its id is empty or too long", ErrMalformed)
	case len(c.Key) == 0 || len(c.Key) > maxCredentialKey:
		return fmt.Errorf("approval: passkey: %w: its key is empty or too long", ErrMalformed)
	case c.RP == "":
		return fmt.Errorf("approval: passkey: %w: it is for no host", ErrMalformed)
	}
	return CheckPerson(c.Name, c.MaxRisk)
}

// CheckPerson returns why a passkey cannot be for this person and risk; nil if it can.
func CheckPerson(name string, risk int) error {
	if !isName(name) && !isAccount(name) {
		return fmt.Errorf("name %q: it must be 1 to 64 of letters, digits and .@_+-", name)
	}
	if risk < 0 || risk > plan.MaxRisk {
		return fmt.Errorf("risk %d: it must be 0 to %d", risk, plan.MaxRisk)
	}
	return nil
}

// isAccount reports whether a name is that of an account, as answers at a terminal have it.
func isAccount(name string) bool {
	uid, ok := strings.CutPrefix(name, "uid ")
	n, err := strconv.ParseUint(uid, 10, 32)
	return ok && err == nil && uid == strconv.FormatUint(n, 10)
}

// fields is nil for the zero Credential.
func (c Credential) fields() plan.Fields {
	if len(c.ID) == 0 {
		return nil
	}
	return plan.Fields{"id": encode(c.ID), "key": encode(c.Key), "max_risk": c.MaxRisk,
		"name": c.Name, "rp": c.RP}
}

func readCredential(f plan.Fields) Credential {
	return Credential{ID: decode(f.Text("id")), Key: decode(f.Text("key")), Name: f.Text("name"),
		MaxRisk: int(f.Number("max_risk")), RP: f.Text("rp")}
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// decode returns nil for what encode does not write.
func decode(s string) []byte {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || encode(b) != s {
		return nil
	}
	return b
}
