package approval

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
)

// A Delegation lets another person's key answer for a while, for no more than the delegator may. It
// must be signed by a key in the trust list, so a delegate cannot delegate further. A delegate's
// answer counts as the delegator's: together they are one person in a quorum.
//
// As text it is one line like an answer, tadad1.PAYLOAD.SIGNATURE over "tada-run delegation v1".
type Delegation struct {
	Public    ed25519.PublicKey // of the delegate
	Name      string            // of the delegate
	Audience  string
	MaxRisk   int
	WorkItems []string // only for these; empty is any
	Issued    time.Time
	Expires   time.Time

	keyID string // of the delegator
	by    string // name of the delegator
}

const (
	delegationHead   = "tadad1."
	delegationDomain = "tada-run delegation v1\n"

	// MaxDelegation is the longest delegation: a holiday, not a career.
	MaxDelegation = 31 * 24 * time.Hour
)

var delegationMembers = map[string]any{
	"aud": "", "exp": int64(0), "iat": int64(0), "key": "", "kid": "", "max_risk": int64(0),
	"name": "", "v": int64(0), "work_items": []any(nil),
}

func (d Delegation) payload() ([]byte, error) {
	return canonical.Append(nil, map[string]any{
		"aud": d.Audience, "exp": d.Expires.Unix(), "iat": d.Issued.Unix(),
		"key": base64.StdEncoding.EncodeToString(d.Public),
		"kid": d.keyID, "max_risk": d.MaxRisk, "name": d.Name, "v": 1, "work_items": d.WorkItems,
	})
}

// Delegate signs a delegation.
func (k Key) Delegate(d Delegation) ([]byte, error) {
	d.keyID = k.ID()
	if k.Public() == nil || len(d.Public) != ed25519.PublicKeySize || !isName(d.Name) ||
		d.Public.Equal(k.Public()) ||
		!d.Expires.After(d.Issued) || d.Expires.Sub(d.Issued) > MaxDelegation {
		return nil, fmt.Errorf(
			"approval: %w: it needs another's key, a name and a life of at most %v",
			ErrMalformed, MaxDelegation)
	}
	payload, err := d.payload()
	if err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(string(seal64(delegationHead, delegationDomain, payload,
		k.private)), "\n")), nil
}

func verifyDelegation(text string, trust TrustList, audience string,
	now time.Time) (Delegation, error) {
	payload, sig, err := open64(delegationHead, []byte(text))
	if err != nil {
		return Delegation{}, err
	}
	f, err := readMembers(payload, delegationMembers)
	if err != nil {
		return Delegation{}, err
	}
	public, err := base64.StdEncoding.Strict().DecodeString(f.Text("key"))
	if err != nil || len(public) != ed25519.PublicKeySize || !isName(f.Text("name")) {
		return Delegation{}, tokenError(ErrMalformed, "the delegation has no key or no name")
	}
	d := Delegation{
		Public: public, Name: f.Text("name"), Audience: f.Text("aud"),
		MaxRisk: int(f.Number("max_risk")), WorkItems: f.Texts("work_items"),
		Issued: time.Unix(f.Number("iat"), 0).UTC(), Expires: time.Unix(f.Number("exp"), 0).UTC(),
		keyID: f.Text("kid"),
	}
	if again, err := d.payload(); err != nil || !slices.Equal(again, payload) {
		return Delegation{}, tokenError(ErrMalformed, "the delegation is not in canonical form")
	}
	k := trust.find(d.keyID)
	switch {
	case k == nil:
		return Delegation{}, tokenError(ErrUntrusted,
			"key %q, which delegates, is not in the trust list", d.keyID)
	case !ed25519.Verify(k.Public, append([]byte(delegationDomain), payload...), sig):
		return Delegation{}, tokenError(ErrSignature, "key %q did not sign this delegation",
			d.keyID)
	case d.MaxRisk > k.MaxRisk || d.MaxRisk < 0:
		return Delegation{}, tokenError(ErrScope,
			"the delegation allows risk %d, its signer may allow %d", d.MaxRisk, k.MaxRisk)
	}
	d.by = k.Name
	return d, checkWindow(d.Audience, audience, d.Issued, d.Expires, now, MaxDelegation)
}

// Vouched returns nil if a delegation shows that the holder of a key in the trust list wants to add
// k to it or remove k from it. The delegation must be valid here and now. To add k, it must be for
// k, for any work item, and for no less risk than k is trusted with. To remove k, it must be for k
// or be given by k itself.
func Vouched(text string, k TrustedKey, out bool, trust TrustList, audience string,
	now time.Time) error {
	d, err := verifyDelegation(strings.TrimSpace(text), trust, audience, now)
	switch {
	case err != nil:
		return err
	case out && d.keyID == KeyID(k.Public):
		return nil
	case !d.Public.Equal(k.Public):
		return tokenError(ErrScope, "it is for key %q", KeyID(d.Public))
	case !out && (k.MaxRisk > d.MaxRisk || len(d.WorkItems) > 0):
		return tokenError(ErrScope, "it is for risk %d and any work item at most; "+
			"give the new key max-risk=%d", d.MaxRisk, d.MaxRisk)
	}
	return nil
}
