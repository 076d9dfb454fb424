package ship

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/launcher/state"
)

// maxNoted is how many of the files that were shipped last a note has. A plan that is older and is
// needed again is shipped again.
const maxNoted = 4096

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

// place is what a note is about.
func (s *Shipper) place() string {
	return fmt.Sprintf("%s %s %s", s.ship.Endpoint, s.ship.Bucket, s.ID)
}

// keep writes the note. One that cannot be written is not there.
func (s *Shipper) keep() {
	if s.Note == "" {
		return
	}
	text, err := s.history.noteText(s.place())
	if err == nil {
		err = state.Replace(s.Note, text)
	}
	if err != nil {
		_ = os.Remove(s.Note)
	}
}

// recall begins with the note, if it is whole and its last manifest is in the bucket. Otherwise all
// manifests are read. The error is one of the bucket.
func (s *Shipper) recall(ctx context.Context) error {
	text, err := os.ReadFile(s.Note)
	if err != nil {
		return nil // there is none, or it cannot be read
	}
	h := newHistory(s.history.bucket, s.history.fleet, s.ID, s.history.with)
	if h.readNote(text, s.place()) != nil {
		return nil
	}
	stored, err := h.bucket.get(ctx, manifestName(s.ID, h.next-1), maxStored)
	if errors.Is(err, errNone) {
		return nil
	}
	if err != nil {
		return err
	}
	plain, err := unseal(stored, maxManifest, h.with)
	if err != nil || sum(stored) != h.before {
		return nil
	}
	m, machine, err := openManifest(plain, h.fleet)
	if err != nil || m.Number != h.next-1 || !m.Key.Equal(s.Key.Public()) ||
		m.Checkpoint != "" && (m.Checkpoint != h.Checkpoint || m.Bytes != h.Bytes) {
		return nil
	}
	h.machine = machine
	s.history = h
	return nil
}
