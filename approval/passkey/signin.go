package passkey

import "github.com/tada-run/tada-run/approval"

// SignInOptions returns the options of a sign-in, as [GetOptions] does those of an answer. They
// name no passkey, because anybody may ask for them: the device shows the ones that it has for the
// host.
func SignInOptions(ticket, origin string) ([]byte, error) {
	host, err := Host(origin)
	if err != nil {
		return nil, err
	}
	return requestJSON(approval.SignInChallenge(ticket, origin), host, []any{})
}

// CheckSignIn returns nil if an assertion is a sign-in with this ticket from a page of the origin.
func CheckSignIn(ticket string, c approval.Credential, proof approval.Assertion,
	origin string) error {
	if _, err := Host(origin); err != nil {
		return refused(approval.ErrMalformed, "%v", err)
	}
	return Prover(origin)(c, approval.SignInChallenge(ticket, origin), proof)
}
