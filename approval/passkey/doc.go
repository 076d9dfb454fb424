// Package passkey checks passkeys (WebAuthn): their pairing, and the answers that they sign.
//
// # What is signed
//
// An answer to a question is an assertion whose challenge is [approval.Challenge]: the hash of the
// plan, of the envelope's id and of the whole answer. So the assertion is the signed answer, and
// nothing of it can be exchanged. It needs no state on the server. It is good for one envelope, and
// the store takes it once.
//
// The challenge of a pairing is made of the one-time token that a person got at the terminal, and
// of the origin of the page: [PairingChallenge]. That of a sign-in to the console is made of a
// one-time ticket of the console, and of the origin: [SignInOptions]. Each begins with other words,
// so none is taken for another. A passkey is discoverable, because a sign-in names none.
//
// # What is checked
//
// The work is done by github.com/go-webauthn/webauthn. This package requires more than WebAuthn
// does: the user was verified by the device; the key is ES256 or EdDSA; there is no attestation,
// because nothing here trusts a vendor; the page was not in a frame of another site; the origin is
// https, or http on localhost, and its host is the one that the passkey was paired for; a counter
// that is used goes up.
//
// # The record
//
// The log has the public key in the entry of the pairing, and the whole assertion in the entry of
// the answer. [Record] checks them with nothing but these entries.
//
// # Limits
//
// The public key is as trustworthy as the entry of its pairing. A person who can rewrite the whole
// log can pair a passkey in it too: seals, witnesses and remembered heads are against that.
package passkey
