package cosign

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// head is the first line of a request.
const head = "tada-cosign/v1\n"

// maxText is the longest request, and the longest answer: a proof has at most 63 hashes.
const maxText = 64 << 10

// A Request asks a machine to cosign a checkpoint of another one's log.
type Request struct {
	Machine         string // the id of the one that asks
	Witness         string // of the one that is asked
	document.Holder        // of Machine
	Log             string // the key of the checkpoint: NAME+HASH+KEY
	Add             []byte // the body of an add-checkpoint, see package audit/witness
}

// Sign returns the request as a note that Machine signs.
func (r Request) Sign(key ed25519.PrivateKey) ([]byte, error) {
	f := r.Holder.Fields()
	f["add"], f["log"], f["machine"], f["witness"] = string(r.Add), r.Log, r.Machine, r.Witness
	body, err := canonical.Append(nil, f)
	if err != nil {
		return nil, err
	}
	return document.SignNote(r.Machine, key, head+string(body)+"\n")
}

var errRequest = errors.New("it is not a request of a machine")

// OpenRequest reads a request that a machine of the fleet has signed.
func OpenRequest(text []byte, f document.Fleet) (Request, error) {
	if len(text) > maxText {
		return Request{}, errRequest
	}
	unverified, err := document.Unverified(text)
	body, ok := strings.CutPrefix(unverified, head)
	if err != nil || !ok {
		return Request{}, errRequest
	}
	v, err := canonical.Parse([]byte(strings.TrimSuffix(body, "\n")))
	o := plan.AsFields(v)
	if err != nil || o == nil {
		return Request{}, errRequest
	}
	r := Request{Machine: o.Text("machine"), Witness: o.Text("witness"), Log: o.Text("log"),
		Add: []byte(o.Text("add"))}
	if !document.IsMachineID(r.Machine) { // it becomes the name of a file
		return Request{}, errRequest
	}
	if r.Holder, err = document.ReadHolder(o); err != nil {
		return Request{}, err
	}
	if _, err := f.OpenNote(text, r.Machine, r.Holder); err != nil {
		return Request{}, err
	}
	if f.IsRevoked(r.Machine) {
		return Request{}, fmt.Errorf("machine %q: %w", r.Machine, document.ErrRevoked)
	}
	return r, nil
}
