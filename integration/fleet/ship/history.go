package ship

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strings"

	"filippo.io/age"
	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A BrokenError says what in a bucket is not as its machine has stored it.
type BrokenError struct {
	Machine string // its id
	Reason  string
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("machine %s: the bucket does not have what it stored: %s", e.Machine,
		e.Reason)
}

// A history is what the manifests of a machine say together, as far as they were read.
type history struct {
	bucket *Bucket
	fleet  document.Fleet
	with   []age.Identity
	id     string

	machine document.Machine
	next    int64       // the number of the next manifest
	before  string      // SHA-256 of the last one, as stored
	last    manifest    // without its pieces
	point   audit.Point // the last that is covered
	spool   *spool      // which gets the manifests; nil where they are read once
	covered
	files
}

// maxNoted is how many of the files that were shipped last are known. A plan that is older and is
// needed again is shipped again.
const maxNoted = 4096

// files are the files that were shipped.
type files struct {
	whole  map[string]bool
	recent []string // the same, the last one last
	log    int64    // where the shipped part of the log ends
	tail   []piece  // of the log, beyond what is covered
}

// seen notes that a file is whole, or will not come.
func (f *files) seen(name string) {
	if f.whole[name] {
		return
	}
	f.whole[name] = true
	if f.recent = append(f.recent, name); len(f.recent) > maxNoted {
		delete(f.whole, f.recent[0])
		f.recent = f.recent[1:]
	}
}

func newHistory(b *Bucket, f document.Fleet, id string, with []age.Identity) *history {
	return &history{bucket: b, fleet: f, id: id, with: with,
		files: files{whole: map[string]bool{}}}
}

// read yields the manifests from the next one on, when each was checked. What is not as the machine
// has stored it is a *BrokenError, and the last thing that is yielded.
func (h *history) read(ctx context.Context) iter.Seq2[manifest, error] {
	return func(yield func(manifest, error) bool) {
		last, err := h.highest(ctx)
		if err != nil {
			yield(manifest{}, err)
			return
		}
		for first := h.next; first <= last; first += atOnce {
			names := make([]string, min(atOnce, last-first+1))
			for i := range names {
				names[i] = manifestName(h.id, first+int64(i))
			}
			stored, errs := h.bucket.getAll(ctx, names)
			for i := range names {
				m, err := h.readOne(first+int64(i), last, stored[i], errs[i])
				if !yield(m, err) || err != nil {
					return
				}
			}
		}
	}
}

// readOne takes a manifest that was read, or could not be.
func (h *history) readOne(number, last int64, stored []byte, err error) (manifest, error) {
	switch {
	case errors.Is(err, errNone) && number < last:
		return manifest{}, h.broken("manifest %d is missing, and there is a later one", number)
	case errors.Is(err, errNone):
		return manifest{}, h.broken("manifest %d is listed, and is not there", number)
	case err != nil:
		return manifest{}, err
	}
	return h.take(number, stored)
}

// highest returns the highest number of a manifest that the bucket lists; -1 if there is none from
// the next one on. Nothing else is kept of the listing, which may be long and anybody's.
func (h *history) highest(ctx context.Context) (int64, error) {
	after, last := "", int64(-1)
	if h.next > 0 {
		after = manifestName(h.id, h.next-1)
	}
	for name, err := range h.bucket.list(ctx, h.id+manifests, after) {
		if err != nil {
			return 0, err
		}
		if n, ok := numberOf(h.id, name); ok {
			last = max(last, n)
		}
	}
	return last, nil
}

func (h *history) broken(format string, args ...any) error {
	return &BrokenError{h.id, fmt.Sprintf(format, args...)}
}

// take checks the next manifest, and adds what it says.
func (h *history) take(number int64, stored []byte) (manifest, error) {
	text, err := unseal(stored, maxManifest, h.with)
	if errors.Is(err, errSealed) {
		return manifest{}, fmt.Errorf("machine %s: manifest %d: %w", h.id, number, err)
	}
	if err != nil {
		return manifest{}, h.broken("manifest %d was changed: %v", number, err)
	}
	m, machine, err := openManifest(text, h.fleet)
	switch {
	case err != nil:
		return m, h.broken("manifest %d: %v", number, err)
	case m.Machine != h.id:
		return m, h.broken("manifest %d is one of machine %s", number, m.Machine)
	case m.Number != number:
		return m, h.broken("manifest %d is the one with number %d", number, m.Number)
	case m.Before != h.before:
		return m, h.broken("manifest %d does not follow the one before it, which was replaced",
			number)
	case m.Fleet < h.last.Fleet:
		return m, h.broken("manifest %d: the machine went back from fleet document %d to an "+
			"older one, %d", number, h.last.Fleet, m.Fleet)
	}
	if err := h.add(m); err != nil {
		return m, err
	}
	if h.spool != nil {
		if err := h.spool.add(text); err != nil {
			return m, err
		}
	}
	sum := sha256.Sum256(stored)
	h.machine, h.next, h.before = machine, number+1, hex.EncodeToString(sum[:])
	return m, nil
}

// add adds what a manifest says of files and of the log.
func (h *history) add(m manifest) error {
	for _, p := range m.Pieces {
		switch {
		case p.File != logFile && p.Last:
			h.seen(p.File)
		case p.File != logFile:
		case p.From < h.log:
			return h.broken("manifest %d has byte %d of the log again: two histories of it",
				m.Number, p.From)
		default:
			h.log, h.tail = p.From+p.Size, append(h.tail, p)
		}
	}
	for _, name := range m.Missing {
		h.seen(name)
	}
	if m.Checkpoint != "" {
		p, err := m.point()
		switch {
		case err != nil:
			return h.broken("manifest %d: %v", m.Number, err)
		case p.Count < h.point.Count || m.Bytes != h.log:
			return h.broken("manifest %d: it covers the log up to %v, and an earlier one "+
				"up to %v", m.Number, p, h.point)
		}
		h.point, h.covered, h.tail = p, m.covered, nil
	}
	h.last = m
	h.last.Pieces, h.last.Missing, h.last.Met = nil, nil, nil
	return nil
}

// point is the head of the log that the checkpoint has.
func (m manifest) point() (audit.Point, error) {
	v, err := note.NewVerifier(strings.TrimSpace(m.Log))
	if err != nil {
		return audit.Point{}, fmt.Errorf("the key of its checkpoint: %w", err)
	}
	return audit.CheckpointPoint([]byte(m.Checkpoint), note.VerifierList(v))
}
