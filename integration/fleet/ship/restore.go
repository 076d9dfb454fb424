package ship

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"filippo.io/age"

	"github.com/tada-run/tada-run/audit"
)

// A restored is a record that is put together again, in a folder, from the objects of a bucket.
type restored struct {
	dir       string
	begun     map[string]int64 // how much there is of each file that is not whole yet
	stretches []stretch
	pruned    string // the newest file about removed entries
}

// A stretch is a part of the log without a gap in it. There are several where entries were deleted
// on the machine before they were shipped.
type stretch struct {
	dir      string
	pruned   string // the file that remembers what was before it; "" where it has the first entry
	from, to int64
	point    audit.Point // up to which it is covered
	bytes    int64
	gaps     []audit.Gap // once it is proven
}

// restore writes the pieces of manifests, whose objects are checked. It returns the last manifest
// with which the record is whole; the pieces of those behind it are only checked.
func (r *restored) restore(ctx context.Context, t *told, with []age.Identity) (last manifest,
	err error) {
	done := 0
	batch := make([]manifest, 0, atOnce)
	fetch := func() error {
		for m, err := range opened(ctx, t.h, batch, with) {
			if err == nil && done < t.whole {
				last, err = m.manifest, r.take(t.h, m.manifest, m.plain)
			}
			if err != nil {
				return err
			}
			done++
		}
		batch = batch[:0]
		return nil
	}
	for m, err := range t.all.all() {
		if batch = append(batch, m); err == nil && len(batch) == atOnce {
			err = fetch()
		}
		if err != nil {
			return last, err
		}
	}
	err = fetch()
	return last, err
}

// An opening is a manifest with the text of its object.
type opening struct {
	manifest
	plain []byte
}

// opened yields manifests with the texts of their objects, which are fetched together.
func opened(ctx context.Context, h *history, batch []manifest,
	with []age.Identity) iter.Seq2[opening, error] {
	return func(yield func(opening, error) bool) {
		var names []string
		for _, m := range batch {
			if m.Object != "" {
				names = append(names, objectName(h.id, m.Object))
			}
		}
		data, errs := h.bucket.getAll(ctx, names)
		for _, m := range batch {
			o := opening{manifest: m}
			var err error
			if m.Object != "" {
				o.plain, err = openObject(h, m, data[0], errs[0], with)
				data, errs = data[1:], errs[1:]
			}
			if !yield(o, err) {
				return
			}
		}
	}
}

// openObject returns the text of the object of a manifest.
func openObject(h *history, m manifest, stored []byte, err error,
	with []age.Identity) ([]byte, error) {
	switch {
	case errors.Is(err, errNone):
		return nil, h.broken("object %.16s... of manifest %d is missing", m.Object, m.Number)
	case err != nil:
		return nil, err
	case sum(stored) != m.Object:
		return nil, h.broken("object %.16s... of manifest %d was replaced or cut", m.Object,
			m.Number)
	}
	plain, err := unseal(stored, maxObject, with)
	if errors.Is(err, errSealed) {
		return nil, fmt.Errorf("machine %s: object %.16s... of manifest %d: %w", h.id, m.Object,
			m.Number, err)
	}
	if err != nil {
		return nil, h.broken("the machine stored an object that cannot be read: %v", err)
	}
	return plain, nil
}

// take writes the pieces of one manifest.
func (r *restored) take(h *history, m manifest, plain []byte) error {
	for _, p := range m.Pieces {
		if int64(len(plain)) < p.Size || sum(plain[:p.Size]) != p.Sum {
			return h.broken("the object of manifest %d does not have what the manifest says",
				m.Number)
		}
		if err := r.write(h, p, plain[:p.Size]); err != nil {
			return err
		}
		plain = plain[p.Size:]
	}
	if m.Checkpoint == "" || len(r.stretches) == 0 {
		return nil
	}
	at, err := m.point()
	s := &r.stretches[len(r.stretches)-1]
	s.point, s.bytes = at, m.Bytes
	return err
}

func (r *restored) write(h *history, p piece, b []byte) error {
	if p.File == logFile {
		return r.writeLog(p, b)
	}
	if p.From == 0 {
		r.begun[p.File] = 0 // from its beginning: one that was not whole is sent again
	}
	if at, ok := r.begun[p.File]; !ok || p.From != at {
		return h.broken("a piece of %q is missing before byte %d", p.File, p.From)
	}
	r.begun[p.File] += p.Size
	if p.Last {
		delete(r.begun, p.File)
		if filepath.Dir(p.File) == "." {
			r.pruned = p.File
		}
	}
	return writeAt(r.path(p.File), p.From, b)
}

// writeLog goes on with the log, in a new stretch if something is missing before it.
func (r *restored) writeLog(p piece, b []byte) error {
	n := len(r.stretches)
	if n == 0 || r.stretches[n-1].to != p.From {
		s := stretch{dir: filepath.Join(r.dir, fmt.Sprintf("audit.%d", n)), from: p.From}
		if p.From > 0 {
			s.pruned = r.pruned
		}
		if err := os.Mkdir(s.dir, 0o700); err != nil {
			return err
		}
		r.stretches = append(r.stretches, s)
	}
	s := &r.stretches[len(r.stretches)-1]
	s.to = p.From + p.Size
	return writeAt(filepath.Join(s.dir, logFile), p.From-s.from, b)
}

// writeAt writes a part of a file, which ends with it.
func writeAt(path string, at int64, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, at)
	return errors.Join(err, f.Truncate(at+int64(len(b))), f.Close())
}

// newRestored makes the folders.
func newRestored(dir string) (*restored, error) {
	for _, name := range []string{sessionsFolder, plansFolder} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	return &restored{dir: dir, begun: map[string]int64{}}, nil
}

func (r *restored) path(file string) string {
	return filepath.Join(r.dir, filepath.FromSlash(file))
}

// whole reports whether all of a file is there.
func (r *restored) whole(file string) bool {
	_, begun := r.begun[file]
	_, err := os.Lstat(r.path(file))
	return err == nil && !begun
}

// covered are the stretches of which something is covered.
func (r *restored) covered() []stretch {
	return slices.DeleteFunc(slices.Clone(r.stretches), func(s stretch) bool {
		return s.point.Count == 0
	})
}

// A Record is one that was restored: the folders of its log, of which there are several where
// entries are missing between, and that of its plans.
type Record struct {
	Logs  []string
	Plans string
}

// recordOf is what was restored to a folder and proven.
func recordOf(dir string, proven []stretch) Record {
	all := Record{Plans: filepath.Join(dir, plansFolder)}
	for _, s := range proven {
		all.Logs = append(all.Logs, s.dir)
	}
	return all
}

// lay makes the folder of a stretch one that a log is verified in.
func (r *restored) lay(s stretch) error {
	name, ok := audit.CopyFile(s.pruned)
	if !ok || s.from > 0 && s.pruned == "" {
		return errors.New("the file about the entries before it is missing")
	}
	text := filepath.Join(s.dir, logFile)
	if err := os.Truncate(text, s.bytes-s.from); err != nil {
		return err
	}
	if err := os.Rename(text, filepath.Join(s.dir, name)); err != nil {
		return err
	}
	if s.pruned != "" {
		if err := os.Link(filepath.Join(r.dir, s.pruned),
			filepath.Join(s.dir, s.pruned)); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(s.dir, "anchor.json"), audit.CopyAnchor(audit.Place{
		Count: s.point.Count, Size: s.bytes, Head: s.point.Head}), 0o600)
}
