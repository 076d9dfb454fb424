package ship

import (
	"bytes"
	"context"
	"crypto"
	"errors"
	"os"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/launcher/state"
)

var errNote = errors.New("it is not a note of what was shipped")

// noteText is what the manifests say together, up to the last one, so that they need not be read
// again: its hash, and then one object.
func (h *history) noteText(place string) ([]byte, error) {
	tail := []any{}
	for _, p := range h.tail {
		tail = append(tail, p.fields())
	}
	body, err := canonical.Append(nil, map[string]any{"before": h.before, "bytes": h.Bytes,
		"by": append([]any{}, holders(h.By)...), "checkpoint": h.Checkpoint, "files": h.recent,
		"key": h.last.Log, "log": h.log, "next": h.next, "place": place, "tail": tail,
		"time": plan.FormatTime(h.last.Time)})
	return append([]byte(sum(body)+"\n"), body...), err
}

// readNote fills a new history with what noteText has made for the same place.
func (h *history) readNote(text []byte, place string) error {
	first, body, ok := bytes.Cut(text, []byte("\n"))
	if !ok || string(first) != sum(body) {
		return errNote
	}
	v, err := canonical.Parse(body)
	f := plan.AsFields(v)
	if err != nil || f == nil || f.Text("place") != place {
		return errNote
	}
	h.next, h.before, h.log = f.Number("next"), f.Text("before"), f.Number("log")
	h.covered = covered{Checkpoint: f.Text("checkpoint"), Bytes: f.Number("bytes")}
	if h.By, err = readHolders(f.Objects("by")); err != nil {
		return errNote
	}
	for _, o := range f.Objects("tail") {
		p, err := readPiece(o)
		if err != nil {
			return errNote
		}
		h.tail = append(h.tail, p)
	}
	for _, name := range f.Texts("files") {
		h.seen(name)
	}
	h.last = manifest{Time: f.Time("time"), covered: h.covered, keys: keys{Log: f.Text("key")}}
	if h.Checkpoint != "" {
		h.point, err = h.last.point()
	}
	if err != nil || h.next < 1 || h.next > maxNumber || !isSum(h.before) || h.Bytes < 0 ||
		h.log < h.Bytes {
		return errNote
	}
	return nil
}

// keep writes the note of a place to a file; "" for none. One that cannot be written is not there.
func (h *history) keep(file, place string) {
	if file == "" {
		return
	}
	text, err := h.noteText(place)
	if err == nil {
		err = state.Replace(file, text)
	}
	if err != nil {
		_ = os.Remove(file)
	}
}

// recall returns the history that the note of a place in a file has, if that is whole and the
// bucket has its last manifest, of the machine with a key; otherwise h, which knows nothing yet.
// The error is one of the bucket.
func (h *history) recall(ctx context.Context, file, place string,
	key crypto.PublicKey) (*history, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return h, nil // there is none, or it cannot be read
	}
	noted := newHistory(h.bucket, h.fleet, h.id, h.with)
	if noted.readNote(text, place) != nil {
		return h, nil
	}
	stored, err := h.bucket.get(ctx, manifestName(h.id, noted.next-1), maxStored)
	if errors.Is(err, errNone) {
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	plain, err := unseal(stored, maxManifest, h.with)
	if err != nil || sum(stored) != noted.before {
		return h, nil
	}
	m, machine, err := openManifest(plain, h.fleet)
	if err != nil || m.Number != noted.next-1 || !m.Key.Equal(key) ||
		m.Checkpoint != "" && (m.Checkpoint != noted.Checkpoint || m.Bytes != noted.Bytes) {
		return h, nil
	}
	noted.machine, noted.last.Fleet = machine, m.Fleet
	return noted, nil
}
