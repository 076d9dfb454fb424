package passkey

import "github.com/tada-run/tada-run/approval"

// ActOptions returns the options of an act, as [GetOptions] does those of an answer. Only passkeys
// that may approve the risk of the act are offered.
func ActOptions(a approval.Act, origin string, known List) ([]byte, error) {
	text, err := a.Statement()
	if err != nil {
		return nil, err
	}
	risk, ok := a.Risk()
	if !ok {
		return nil, refused(approval.ErrMalformed, "there is no act %q", a.Do)
	}
	var able List
	for _, k := range known {
		if k.MaxRisk >= risk {
			able = append(able, k)
		}
	}
	return requestOptions(approval.ActChallenge(text), origin, able)
}

// CheckAct returns nil if an assertion confirms an act, by a passkey that may.
func CheckAct(a approval.Act, c approval.Credential, proof approval.Assertion,
	origin string) error {
	text, err := a.Statement()
	risk, known := a.Risk()
	switch {
	case err != nil:
		return err
	case !known:
		return refused(approval.ErrMalformed, "there is no act %q", a.Do)
	case proof.Answer != text:
		return refused(approval.ErrSignature, "it was signed for another act")
	case c.MaxRisk < risk:
		return refused(approval.ErrScope, "the passkey is for risks up to %d, and to %s needs %d",
			c.MaxRisk, a.Do, risk)
	}
	return Prover(origin)(c, approval.ActChallenge(text), proof)
}
