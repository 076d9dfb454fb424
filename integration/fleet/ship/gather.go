package ship

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/record"
)

// A look is a part of a record: what the log has beyond what is covered, up to a checkpoint.
type look struct {
	l          *launcher.Launcher
	text       *audit.Text
	checkpoint []byte
	point      audit.Point
	end        int64           // of the log, at the checkpoint
	over       map[string]bool // sessions that are over; true if the log vouches for the transcript
	plans      map[string]bool
}

// errMoved is returned when the log was pruned while it was looked at.
var errMoved = errors.New("the log was changed at the same time; trying again")

// entries reads the entries from an offset on, up to the checkpoint.
func (k *look) entries(from int64) error {
	for e, err := range k.text.Entries(audit.Filter{From: from}) {
		var bad *audit.BadEntry
		if errors.As(err, &bad) {
			continue // in the bytes of a gap
		}
		if err != nil {
			return err
		}
		k.take(e)
		if e.Seq+1 == k.point.Count && e.Hash == k.point.Head {
			k.end = e.Place().Size
			return nil
		}
	}
	return errMoved
}

// take notes what an entry says of other files.
func (k *look) take(e audit.Entry) {
	var b struct{ SID, Plan string }
	if json.Unmarshal(e.Body, &b) != nil {
		return
	}
	switch e.Kind {
	case audit.KindIntent, record.KindHook:
		if isSum(b.Plan) {
			k.plans[b.Plan] = true
		}
	case audit.KindClose, audit.KindOrphan, audit.KindEnd, audit.KindFailed:
		if fileName.MatchString(sessionFile(b.SID)) {
			k.over[b.SID] = k.over[b.SID] || e.Kind == audit.KindClose
		}
	case audit.KindDrop:
		delete(k.over, b.SID)
	}
}

// removed adds the file that remembers what was before the first entry, where the bucket has not
// what was before it.
func (k *look) removed(ctx context.Context, p *packer) error {
	start, name := k.text.Start()
	if start <= p.log || p.whole[name] {
		return nil
	}
	f, err := os.Open(filepath.Join(k.l.Home().Audit(), name))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return p.file(ctx, name, f, 0, info.Size())
}

// add adds all of it.
func (k *look) add(ctx context.Context, p *packer) error {
	if err := k.removed(ctx, p); err != nil {
		return err
	}
	start, _ := k.text.Start()
	if from := max(p.log, start); from < k.end {
		size := k.end - from
		if err := p.file(ctx, logFile, io.NewSectionReader(k.text, from, size), from,
			size); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(k.plans)) {
		if err := k.plan(ctx, p, name); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(k.over)) {
		if err := k.session(ctx, p, id); err != nil {
			return err
		}
	}
	return nil
}

// plan adds a plan that the bucket has not.
func (k *look) plan(ctx context.Context, p *packer, name string) error {
	file := planFile(name)
	if p.whole[file] {
		return nil
	}
	b, err := plans.Get(k.l.Home().Plans(), name, k.l.Codec)
	if err != nil || len(b) > maxObject { // what is damaged is none
		return p.missing(ctx, file)
	}
	return p.file(ctx, file, bytes.NewReader(b), 0, int64(len(b)))
}

// session adds a transcript that the bucket has not.
func (k *look) session(ctx context.Context, p *packer, id string) error {
	file := sessionFile(id)
	if p.whole[file] {
		return nil
	}
	t, err := k.l.Transcript(id)
	switch {
	case errors.Is(err, fs.ErrNotExist) && k.over[id]:
		return p.missing(ctx, file)
	case errors.Is(err, fs.ErrNotExist):
		return nil // it died before it recorded anything
	}
	if err != nil {
		return fmt.Errorf("transcript %q: %w", id, err)
	}
	defer t.Close()
	size, err := t.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = t.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("transcript %q: %w", id, err)
	}
	return p.file(ctx, file, t, 0, size)
}
