package approval

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// A Scope is how far an answer goes. The zero value is once.
type Scope struct {
	Uses int           // 0 or 1 is once; more makes a grant
	For  time.Duration // how long that lasts; whole seconds
}

// stands reports whether more than one run is allowed.
func (s Scope) stands() bool { return s.Uses > 1 || s.For != 0 }

// An Answer is what a signer states. Sign fills in what follows from the key and the question.
type Answer struct {
	Audience   string
	Envelope   string
	PlanHash   string
	Template   string
	NonceHash  string
	Issued     time.Time
	Expires    time.Time
	Scope      Scope
	Calls      []CallDecision
	TokenID    string
	Delegation string

	keyID string
}

func (a Answer) payload() ([]byte, error) {
	return canonical.Append(nil, map[string]any{
		"aud": a.Audience, "decisions": callList(a.Calls), "delegation": a.Delegation,
		"envelope_id": a.Envelope,
		"exp":         a.Expires.Unix(), "iat": a.Issued.Unix(), "kid": a.keyID,
		"nonce_hash": a.NonceHash,
		"plan_hash":  a.PlanHash,
		"scope": map[string]any{"for_s": int64(a.Scope.For / time.Second),
			"uses": a.Scope.Uses},
		"template": a.Template, "token_id": a.TokenID, "v": 1,
	})
}

// Sign signs an answer. It sets the key's id and a fresh TokenID, and refuses what Verify would
// refuse.
func (k Key) Sign(a Answer, random io.Reader) ([]byte, error) {
	var id [16]byte
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return nil, fmt.Errorf("approval: reading randomness: %w", err)
	}
	a.keyID, a.TokenID = k.ID(), hex.EncodeToString(id[:])
	if k.Public() == nil || len(a.Calls) == 0 || !a.Expires.After(a.Issued) ||
		a.Expires.Sub(a.Issued) > MaxTokenLife {
		return nil, fmt.Errorf("approval: %w: it needs a key, a decision for each call "+
			"and a life of at most %v", ErrMalformed, MaxTokenLife)
	}
	payload, err := a.payload()
	if err != nil {
		return nil, err
	}
	return seal64(tokenHead, tokenDomain, payload, k.private), nil
}

// tokenMembers are all members of an answer, each with a sample of its type.
var tokenMembers = map[string]any{
	"aud": "", "decisions": []any(nil), "delegation": "", "envelope_id": "", "exp": int64(0),
	"iat": int64(0), "kid": "", "nonce_hash": "",
	"plan_hash": "", "scope": map[string]any(nil), "template": "", "token_id": "", "v": int64(0),
}

func readAnswer(payload []byte) (Answer, error) {
	f, err := readMembers(payload, tokenMembers)
	if err != nil {
		return Answer{}, err
	}
	scope := plan.Fields(f["scope"].(map[string]any))
	a := Answer{
		Audience: f.Text("aud"), Envelope: f.Text("envelope_id"), PlanHash: f.Text("plan_hash"),
		Template:  f.Text("template"),
		NonceHash: f.Text("nonce_hash"), Issued: time.Unix(f.Number("iat"), 0).UTC(),
		Expires: time.Unix(f.Number("exp"), 0).UTC(),
		Scope: Scope{Uses: int(scope.Number("uses")),
			For: time.Duration(scope.Number("for_s")) * time.Second},
		Calls: readCalls(f.List("decisions")), TokenID: f.Text("token_id"),
		Delegation: f.Text("delegation"), keyID: f.Text("kid"),
	}
	// One spelling: a member that was read as something other than what it says would show here.
	if again, err := a.payload(); err != nil || !slices.Equal(again, payload) {
		return Answer{}, tokenError(ErrMalformed, "it is not in canonical form")
	}
	if len(a.TokenID) != 32 {
		return Answer{}, tokenError(ErrMalformed, "its token_id is not an id")
	}
	return a, nil
}

// A Signed is an answer whose signature was checked: only [Verify] makes one that counts.
type Signed struct {
	Answer
	// who it counts as: the name in the trust list, the delegator's if there is one
	Person string
	Signer string // for the record: key id and name
	Device string // for the record: the browser of the console; "" for none

	maxRisk   int
	workItems []string // nil is any
	verified  bool
	passkey   Assertion // by which it came; zero for a key
}

// stands reports whether the answer asks for a grant.
func (s Signed) stands() bool { return s.Scope.stands() || s.choice() != 0 }

func (s Signed) choice() int { return Decision{Calls: s.Calls}.Choice() }

func (s Signed) channel() Channel {
	if len(s.passkey.Credential) > 0 {
		return ChannelPasskey
	}
	return ChannelToken
}

func (s Signed) grant(envelope string) GrantRequest {
	return GrantRequest{Envelope: envelope, PlanHash: s.PlanHash, Uses: s.Scope.Uses,
		For: s.Scope.For, Approver: s.Signer, Channel: string(s.channel()), Choice: s.choice()}
}

func (s Signed) decision(id string) Decision {
	return Decision{Envelope: id, PlanHash: s.PlanHash, Calls: slices.Clone(s.Calls),
		Factor:   "signature " + s.Signer,
		Approver: s.Signer, Person: s.Person, Channel: string(s.channel()), signed: true,
		token: s.TokenID, Via: Via{Passkey: s.passkey, Device: s.Device}}
}

// Verify checks a signed answer against the trusted keys, the machine that it must be for and the
// time, and returns it. Only the store can tell whether it matches a question. The error is a
// *[TokenError] around ErrOversized, ErrTruncated, ErrMalformed, ErrUntrusted, ErrSignature,
// ErrAudience, ErrExpired or ErrScope.
func Verify(text []byte, trust TrustList, audience string, now time.Time) (Signed, error) {
	payload, sig, err := open64(tokenHead, text)
	if err != nil {
		return Signed{}, err
	}
	a, err := readAnswer(payload)
	if err != nil {
		return Signed{}, err
	}
	s := Signed{Answer: a, verified: true}
	public := ed25519.PublicKey(nil)
	if a.Delegation == "" {
		k := trust.find(a.keyID)
		if k == nil {
			return Signed{}, tokenError(ErrUntrusted, "key %q is not in the trust list", a.keyID)
		}
		public, s.Person, s.maxRisk, s.Signer = k.Public, k.Name, k.MaxRisk, a.keyID+" "+k.Name
	} else {
		d, err := verifyDelegation(a.Delegation, trust, audience, now)
		if err != nil {
			return Signed{}, err
		}
		if KeyID(d.Public) != a.keyID {
			return Signed{}, tokenError(ErrUntrusted, "the delegation is for key %q",
				KeyID(d.Public))
		}
		if a.Scope.stands() || a.Expires.After(d.Expires) {
			return Signed{}, tokenError(ErrScope,
				"a delegate can approve once only, and not beyond the end of the delegation")
		}
		public, s.Person, s.maxRisk, s.workItems = d.Public, d.by, d.MaxRisk, d.WorkItems
		s.Signer = a.keyID + " " + d.Name + " for " + d.by
	}
	if !ed25519.Verify(public, append([]byte(tokenDomain), payload...), sig) {
		return Signed{}, tokenError(ErrSignature, "key %q did not sign this", a.keyID)
	}
	r := s.grant("")
	switch err := r.settle(); {
	case a.Scope.stands() && err != nil:
		return Signed{}, tokenError(ErrScope, "%v", err)
	case a.Scope.stands() && a.Envelope == "":
		return Signed{}, tokenError(ErrScope, "a plan allowed in advance can run only once")
	}
	return s, checkWindow(a.Audience, audience, a.Issued, a.Expires, now, MaxTokenLife)
}

// A signed answer is one line that may be sent over any channel:
//
//	tada1.PAYLOAD.SIGNATURE
//
// both in base64url without padding. PAYLOAD is a canonical object; SIGNATURE is Ed25519 over the
// words "tada-run answer v1", a newline and PAYLOAD as bytes, so that no other signature of the
// same key can be taken for an answer. The members of PAYLOAD:
//
//	v            1
//	kid          the key that signs: see KeyID
//	aud          the machine that asked; the answer is not valid elsewhere
//	envelope_id  the question; empty in an answer that was signed before there was one
//	plan_hash    of what the signer saw
//	template     the plan without its numbering, when there is no question yet; else empty
//	nonce_hash   of the envelope's nonce, so that not even a repeated id matches
//	iat, exp     seconds since 1970: from when to when, without the end
//	scope        {"for_s":0,"uses":1}: this once; more is a grant
//	decisions    as in the record, one for each call and in order
//	token_id     32 hexadecimal digits: an answer is taken once
//	delegation   the certificate that allows the signer to answer, or empty: see Delegate
const (
	tokenHead   = "tada1."
	tokenDomain = "tada-run answer v1\n"

	// MaxTokenLife is the longest a signed answer may be valid, and so how long a used one must be
	// remembered.
	MaxTokenLife = 24 * time.Hour
)
