package audit

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// algCosignature is the signature type of a timestamped Ed25519 cosignature
// (https://c2sp.org/tlog-cosignature).
const algCosignature = 4

// A WitnessKey verifies the cosignatures of one witness. It is a note.Verifier, for use beside the
// log's own.
type WitnessKey struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

// errWitnessKey is returned for a text that is not the key of a witness.
var errWitnessKey = errors.New(
	"not the key of a cosigning witness: NAME+HASH+KEY with signature type 4")

// NewWitnessKey reads a witness's key in the form in which it is published: NAME+HASH+KEY.
func NewWitnessKey(vkey string) (*WitnessKey, error) {
	name, rest, _ := strings.Cut(vkey, "+")
	id, encoded, ok := strings.Cut(rest, "+")
	hash, err1 := hex.DecodeString(id)
	key, err2 := base64.StdEncoding.DecodeString(encoded)
	if !ok || err1 != nil || err2 != nil || len(hash) != 4 || len(key) != 1+ed25519.PublicKeySize ||
		key[0] != algCosignature ||
		name == "" || strings.ContainsAny(name, " \t\n") {
		return nil, fmt.Errorf("witness key %q: %w", vkey, errWitnessKey)
	}
	sum := sha256.Sum256(append([]byte(name+"\n"), key...))
	w := &WitnessKey{name, binary.BigEndian.Uint32(hash), ed25519.PublicKey(key[1:])}
	if binary.BigEndian.Uint32(sum[:]) != w.hash {
		return nil, fmt.Errorf("witness key %q: %w", vkey, errWitnessKey)
	}
	return w, nil
}

// Name returns the witness's name.
func (w *WitnessKey) Name() string { return w.name }

// KeyHash returns the key's short id in a signature line.
func (w *WitnessKey) KeyHash() uint32 { return w.hash }

// Verify checks a cosignature: eight bytes of time, then the signature.
func (w *WitnessKey) Verify(msg, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	signed := fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", binary.BigEndian.Uint64(sig), msg)
	return ed25519.Verify(w.key, signed, sig[8:])
}

// A Cosignature states that a witness saw a checkpoint, and had not seen any other history of this
// log before.
type Cosignature struct {
	Witness string
	Time    time.Time // by the witness's clock
}

// Cosignatures returns which of the witnesses cosigned a checkpoint that the log's key signed.
// Signatures by others are ignored; an invalid one by a listed witness makes the whole checkpoint
// an error.
func Cosignatures(signed []byte, log note.Verifier,
	witnesses []*WitnessKey) ([]Cosignature, error) {
	known := []note.Verifier{log}
	for _, w := range witnesses {
		known = append(known, w)
	}
	n, err := note.Open(signed, note.VerifierList(known...))
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	if _, _, err := openCheckpoint(signed, note.VerifierList(log)); err != nil {
		return nil, err
	}
	var list []Cosignature
	for _, s := range n.Sigs {
		raw, err := base64.StdEncoding.DecodeString(s.Base64)
		if err != nil || len(raw) != 4+8+ed25519.SignatureSize || s.Name == log.Name() &&
			s.Hash == log.KeyHash() {
			continue
		}
		list = append(list, Cosignature{s.Name, time.Unix(int64(binary.BigEndian.Uint64(raw[4:])),
			0).UTC()})
	}
	return list, nil
}

// AddCosignatures appends the lines that a witness answered to a checkpoint. They are not verified
// here: see Cosignatures.
func AddCosignatures(signed, lines []byte) ([]byte, error) {
	if !strings.HasSuffix(string(signed), "\n") || len(lines) == 0 || lines[len(lines)-1] != '\n' {
		return nil, errors.New("cosignatures: not whole lines")
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(lines), "\n"), "\n") {
		if !strings.HasPrefix(line, "— ") {
			return nil, fmt.Errorf("cosignatures: %q is not a signature line", line)
		}
	}
	return append(append([]byte{}, signed...), lines...), nil
}

// ProveGrowth returns the RFC 6962 consistency proof that the signed log begins with its own first
// old entries: what a witness asks for. It is empty if nothing was added since, or if old is 0.
func ProveGrowth(dir string, o VerifyOptions, old int64, signed []byte,
	known note.Verifiers) (tlog.TreeProof, error) {
	t, size, _, err := checkedTree(dir, o, signed, known)
	if err != nil {
		return nil, err
	}
	switch {
	case old < 0 || old > size:
		return nil, fmt.Errorf("prove growth: the log had %s, and the checkpoint covers %d",
			Plural(old, "entry"), size)
	case old == 0 || old == size:
		return nil, nil
	}
	p, err := tlog.ProveTree(size, old, t)
	if err != nil {
		return nil, fmt.Errorf("prove growth from %d to %s: %w", old, Plural(size, "entry"), err)
	}
	return p, nil
}
