package document

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// MaxSize is the maximum length of a document, in bytes: a fleet document names every person and
// every revoked machine.
const MaxSize = 512 << 10

// head begins the first line of a document; its kind follows.
const head = approval.StatementHead + " "

// algEd25519 is the signature type of a plain Ed25519 signature in a note.
const algEd25519 = 1

// ErrUnsigned is returned for a document that nobody has signed whose signature counts.
var ErrUnsigned = errors.New("no signature on it counts")

// A signer signs notes with a person's key.
type signer struct{ key approval.Key }

func (s signer) Name() string    { return s.key.Name }
func (s signer) KeyHash() uint32 { return keyHash(s.key.Name, s.key.Public()) }

func (s signer) Sign(text []byte) ([]byte, error) { return s.key.Statement(text) }

func keyHash(name string, public ed25519.PublicKey) uint32 {
	sum := sha256.Sum256(append([]byte(name+"\n"), encoded(public)...))
	return binary.BigEndian.Uint32(sum[:])
}

func encoded(public ed25519.PublicKey) []byte { return append([]byte{algEd25519}, public...) }

// verifiers returns the verifiers of people's signatures.
func verifiers(who []Person) (note.Verifiers, error) {
	var list []note.Verifier
	for _, p := range who {
		v, err := note.NewVerifier(fmt.Sprintf("%s+%08x+%s", p.Name, keyHash(p.Name, p.Key),
			base64.StdEncoding.EncodeToString(encoded(p.Key))))
		if err != nil {
			return nil, fmt.Errorf("key of %q: %w", p.Name, err)
		}
		list = append(list, v)
	}
	return note.VerifierList(list...), nil
}

// sign returns a document of a kind with the signatures of keys.
func sign(kind string, f plan.Fields, keys ...approval.Key) ([]byte, error) {
	body, err := canonical.Append(nil, map[string]any(f))
	if err != nil {
		return nil, err
	}
	var signers []note.Signer
	for _, k := range keys {
		if err := checkName(k.Name); err != nil {
			return nil, err
		}
		signers = append(signers, signer{k})
	}
	text, err := note.Sign(&note.Note{Text: head + kind + "\n" + string(body) + "\n"}, signers...)
	if err == nil && len(text) > MaxSize {
		err = fmt.Errorf("a document of kind %q: %w: more than %d bytes", kind,
			approval.ErrOversized, MaxSize)
	}
	return text, err
}

// A signed is a document whose signatures were checked.
type signed struct {
	plan.Fields
	By []string // who signed it, of those whose signatures count; at least one, none twice
}

// open checks a document of a kind against the people whose signatures count.
func open(text []byte, kind string, who []Person) (signed, error) {
	if len(text) > MaxSize {
		return signed{}, fmt.Errorf("document: %w: more than %d bytes", approval.ErrOversized,
			MaxSize)
	}
	list, err := verifiers(who)
	if err != nil {
		return signed{}, err
	}
	n, err := note.Open(text, list)
	if err != nil {
		return signed{}, reasonOf(err)
	}
	f, err := body(n.Text, kind)
	if err != nil {
		return signed{}, err
	}
	s := signed{Fields: f}
	for _, sig := range n.Sigs {
		s.By = append(s.By, sig.Name)
	}
	return s, nil
}

// reasonOf is the error of this package for one of package note.
func reasonOf(err error) error {
	var unsigned *note.UnverifiedNoteError
	var wrong *note.InvalidSignatureError
	switch {
	case errors.As(err, &unsigned):
		return ErrUnsigned
	case errors.As(err, &wrong):
		return fmt.Errorf("document: %w: of %q", approval.ErrSignature, wrong.Name)
	}
	return fmt.Errorf("document: %w: %w", approval.ErrMalformed, err)
}

// unverified returns the text of a document whose signatures are not checked yet.
func unverified(text []byte) (string, error) {
	_, err := note.Open(text, note.VerifierList())
	var n *note.UnverifiedNoteError
	if errors.As(err, &n) {
		return n.Note.Text, nil
	}
	return "", fmt.Errorf("document: %w: %w", approval.ErrMalformed, err)
}

// body reads the text of a document.
func body(text, kind string) (plan.Fields, error) {
	rest, ok := strings.CutPrefix(text, head+kind+"\n")
	if !ok {
		first, _, _ := strings.Cut(text, "\n")
		family := strings.TrimRight(approval.StatementHead, "0123456789")
		if strings.HasPrefix(first, family) && !strings.HasPrefix(first, head) {
			return nil, fmt.Errorf("document: %w: it begins with %.80q: another version of "+
				"tada-fleet has made it; upgrade this one", approval.ErrMalformed, first)
		}
		return nil, fmt.Errorf("document: %w: it begins with %.80q, not with %q",
			approval.ErrMalformed, first, head+kind)
	}
	v, err := canonical.Parse([]byte(strings.TrimSuffix(rest, "\n")))
	f := plan.AsFields(v)
	if err == nil && f == nil {
		err = errors.New("it is not an object")
	}
	if err != nil {
		return nil, fmt.Errorf("document of kind %q: %w: %w", kind, approval.ErrMalformed, err)
	}
	return f, nil
}
