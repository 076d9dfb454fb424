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
const version = family + "1\n"

// family begins that line in every version.
const family = "tada-ship/v"

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
	Fleet   int64    // the serial of the newest fleet document that the machine knew; 0: not said
	Met     []string // the records of other machines that it has stored: ID-SHA256
	covered
	keys
}

// covered is how far the record is whole with a manifest and those before it. The zero value: no
// further than with the one before.
type covered struct {
	Checkpoint string            // signed, with cosignatures
	Bytes      int64             // of the log, at its end
	By         []document.Holder // the machines of which cosignatures are
}

// keys are what the signatures of a machine are checked with.
type keys struct {
	document.Holder
	Log string // of its checkpoints: NAME+HASH+KEY
}

// sign returns the text of the manifest, signed by the machine.
func (m manifest) sign(key ed25519.PrivateKey) ([]byte, error) {
	pieces := []any{}
	for _, p := range m.Pieces {
		pieces = append(pieces, p.fields())
	}
	fields := map[string]any{"before": m.Before, "bytes": m.Bytes,
		"checkpoint": m.Checkpoint, "key": base64.StdEncoding.EncodeToString(m.Key),
		"log": m.Log, "machine": m.Machine, "missing": m.Missing, "number": m.Number,
		"object": m.Object, "pieces": pieces, "record": m.Record,
		"time": plan.FormatTime(m.Time)}
	if m.Fleet > 0 {
		fields["fleet"] = m.Fleet
	}
	if len(m.Met) > 0 {
		fields["met"] = m.Met
	}
	if len(m.By) > 0 {
		fields["by"] = holders(m.By)
	}
	body, err := canonical.Append(nil, fields)
	if err != nil {
		return nil, err
	}
	text, err := document.SignNote(m.Machine, key, version+string(body)+"\n")
	if err == nil && len(text) > maxManifest {
		err = fmt.Errorf("manifest %d is too long", m.Number)
	}
	return text, err
}

// openManifest reads a manifest that a machine of the fleet has signed, and the record of that
// machine. That the machine is revoked is no error: its record stays what it was.
func openManifest(text []byte, f document.Fleet) (manifest, document.Machine, error) {
	m, err := readManifest(text)
	if err != nil {
		return m, document.Machine{}, err
	}
	machine, err := f.OpenNote(text, m.Machine, m.Holder)
	return m, machine, err
}

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
	if !ok && strings.HasPrefix(n.Note.Text, family) {
		return manifest{}, errVersion
	}
	v, err := canonical.Parse([]byte(strings.TrimSuffix(body, "\n")))
	f := plan.AsFields(v)
	if !ok || err != nil || f == nil {
		return manifest{}, errManifest
	}
	by, err := readHolders(f.Objects("by"))
	if err != nil {
		return manifest{}, err
	}
	m := manifest{Machine: f.Text("machine"), Number: f.Number("number"),
		Before: f.Text("before"), Time: f.Time("time"), Object: f.Text("object"),
		Missing: f.Texts("missing"), Fleet: f.Number("fleet"), Met: f.Texts("met"),
		keys:    keys{Log: f.Text("log")},
		covered: covered{f.Text("checkpoint"), f.Number("bytes"), by}}
	if m.Holder, err = document.ReadHolder(f); err != nil || !document.IsMachineID(m.Machine) ||
		m.Number < 0 || m.Number > maxNumber || m.Bytes < 0 || m.Time.IsZero() ||
		m.Object != "" && !isSum(m.Object) || m.Before != "" && !isSum(m.Before) ||
		len(f.List("pieces")) > maxPieces || !areMet(m.Met) {
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
