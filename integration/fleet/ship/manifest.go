package ship

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// version is the first line of a manifest.
const version = "tada-ship/v1\n"

// maxManifest is the longest text of a manifest.
const maxManifest = 1 << 20

// A manifest says what one shipment of a machine has.
type manifest struct {
	Machine string // its id
	Number  int64  // from 0
	Before  string // SHA-256 of the manifest before it, as stored; "" for the first
	Time    time.Time
	Object  string // SHA-256 of the object, as stored, which is its name; "" for none
	Pieces  []piece
	Missing []string // files that the record names, and that were gone before they were shipped
	covered
	keys
}

// covered is how far the record is whole with a manifest and those before it. The zero value: no
// further than with the one before.
type covered struct {
	Checkpoint string // signed, with cosignatures
	Bytes      int64  // of the log, at its end
}

// keys are what the signatures of a machine are checked with.
type keys struct {
	Record string            // the machine's record, which the registrar has signed
	Key    ed25519.PublicKey // of the machine: the record has its hash
	Log    string            // of its checkpoints: NAME+HASH+KEY
}

// sign returns the text of the manifest, signed by the machine.
func (m manifest) sign(key ed25519.PrivateKey) ([]byte, error) {
	pieces := []any{}
	for _, p := range m.Pieces {
		pieces = append(pieces, p.fields())
	}
	body, err := canonical.Append(nil, map[string]any{"before": m.Before, "bytes": m.Bytes,
		"checkpoint": m.Checkpoint, "key": base64.StdEncoding.EncodeToString(m.Key),
		"log": m.Log, "machine": m.Machine, "missing": m.Missing, "number": m.Number,
		"object": m.Object, "pieces": pieces, "record": m.Record,
		"time": plan.FormatTime(m.Time)})
	if err != nil {
		return nil, err
	}
	signer, err := signerOf(m.Machine, key)
	if err != nil {
		return nil, err
	}
	text, err := note.Sign(&note.Note{Text: version + string(body) + "\n"}, signer)
	if err == nil && len(text) > maxManifest {
		err = fmt.Errorf("manifest %d is too long", m.Number)
	}
	return text, err
}

// signerOf signs notes in the name of a machine.
func signerOf(id string, key ed25519.PrivateKey) (note.Signer, error) {
	vkey, err := note.NewEd25519VerifierKey(id, key.Public().(ed25519.PublicKey))
	if err != nil {
		return nil, err
	}
	hash := strings.Split(vkey, "+")[1]
	const ed25519Note = 1
	return note.NewSigner("PRIVATE+KEY+" + id + "+" + hash + "+" +
		base64.StdEncoding.EncodeToString(append([]byte{ed25519Note}, key.Seed()...)))
}

// openManifest reads a manifest that a machine of the fleet has signed, and the record of that
// machine. That the machine is revoked is no error: its record stays what it was.
func openManifest(text []byte, f document.Fleet) (manifest, document.Machine, error) {
	m, err := readManifest(text)
	if err != nil {
		return m, document.Machine{}, err
	}
	machine, err := f.Machine([]byte(m.Record))
	switch {
	case err != nil && !errors.Is(err, document.ErrRevoked):
		return m, machine, fmt.Errorf("the record of its machine: %w", err)
	case machine.ID != m.Machine || !machine.Holds(m.Key):
		return m, machine, fmt.Errorf("its key is not that of machine %q", m.Machine)
	}
	vkey, err := note.NewEd25519VerifierKey(m.Machine, m.Key)
	if err != nil {
		return m, machine, err
	}
	v, err := note.NewVerifier(vkey)
	if err == nil {
		_, err = note.Open(text, note.VerifierList(v))
	}
	return m, machine, err
}

var errManifest = errors.New("it is not a manifest")

// readManifest reads a manifest whose signature is not checked yet.
func readManifest(text []byte) (manifest, error) {
	if len(text) > maxManifest {
		return manifest{}, errManifest
	}
	var n *note.UnverifiedNoteError
	if _, err := note.Open(text, note.VerifierList()); !errors.As(err, &n) {
		return manifest{}, fmt.Errorf("%w: %w", errManifest, err)
	}
	body, ok := strings.CutPrefix(n.Note.Text, version)
	v, err := canonical.Parse([]byte(strings.TrimSuffix(body, "\n")))
	f := plan.AsFields(v)
	if !ok || err != nil || f == nil {
		return manifest{}, errManifest
	}
	m := manifest{Machine: f.Text("machine"), Number: f.Number("number"),
		Before: f.Text("before"), Time: f.Time("time"), Object: f.Text("object"),
		Missing: f.Texts("missing"), covered: covered{f.Text("checkpoint"), f.Number("bytes")},
		keys: keys{Record: f.Text("record"), Log: f.Text("log")}}
	if m.Key, err = base64.StdEncoding.Strict().DecodeString(f.Text("key")); err != nil ||
		len(m.Key) != ed25519.PublicKeySize || !machineID.MatchString(m.Machine) ||
		m.Number < 0 || m.Number > maxNumber || m.Bytes < 0 || m.Time.IsZero() ||
		m.Object != "" && !isSum(m.Object) || m.Before != "" && !isSum(m.Before) ||
		len(f.List("pieces")) > maxPieces {
		return manifest{}, errManifest
	}
	return m, m.readPieces(f.Objects("pieces"))
}

func (m *manifest) readPieces(list []plan.Fields) error {
	size := int64(0)
	for _, o := range list {
		p, err := readPiece(o)
		if err != nil {
			return err
		}
		size += p.Size
		m.Pieces = append(m.Pieces, p)
	}
	if size > maxObject || (m.Object == "") != (len(m.Pieces) == 0) {
		return errManifest
	}
	return nil
}
