package audit

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
)

// A Text is the log of a folder as one run of bytes, whatever files it is in: what a copy of the
// log is made from. It stays readable while the log is packed or pruned.
type Text struct{ s *segments }

// OpenText opens the log in dir as it is now. The caller closes it.
func OpenText(dir string, c Codec) (*Text, error) {
	s, err := openLog(dir, c)
	if err != nil {
		return nil, err
	}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Text{s}, nil
}

// Close closes the files.
func (t *Text) Close() error { return t.s.Close() }

// ReadAt reads the log at an offset as entries have it.
func (t *Text) ReadAt(b []byte, offset int64) (int, error) { return t.s.ReadAt(b, offset) }

// Start returns where the log begins, and the name of the file in its folder that remembers what
// was before; 0 and "" for a log that has its first entry.
func (t *Text) Start() (offset int64, pruned string) {
	if p := t.s.pruned; p != nil {
		return t.s.start.offset, p.name
	}
	return t.s.start.offset, ""
}

// End returns where the log ended when it was opened.
func (t *Text) End() int64 { return t.s.end() }

// Entries is the function of that name for this log.
func (t *Text) Entries(f Filter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		from, to := f.span(t.s)
		f.scan(io.NewSectionReader(t.s, from, to-from), from, yield)
	}
}

// Sync returns when the disk has the file that is being written: a copy must not have what a power
// cut may take from the log.
func (t *Text) Sync() error {
	last := t.s.parts[len(t.s.parts)-1].text
	if err := last.file.Sync(); err != nil {
		return fmt.Errorf("storing %q: %w", filepath.Base(last.path), err)
	}
	return nil
}

// CopyAnchor returns the content of the file anchor.json beside a copy of the log that ends at a
// place, for Verify. It proves nothing by itself: whoever copies knows by other means where the log
// ends.
func CopyAnchor(p Place) []byte {
	a := newAnchor("")
	a.Count, a.Size, a.Last, a.Head = p.Count, p.Size, p.Last, p.Head
	a.Synced, a.SyncedCount, a.SyncedHead = p.Size, p.Count, p.Head
	one := a.appendSlot(nil, nil)
	a.turn = 1
	return a.appendSlot(one, nil)
}

// CopyFile is the name of the file for the text of a copy that begins where the file pruned says,
// or at the first entry if that is "". It returns false for a name that is none.
func CopyFile(pruned string) (string, bool) {
	if pruned == "" {
		return logName, true
	}
	n, ok := prunedNumber(pruned)
	return segmentName(n), ok && n > 0
}
