package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// A snapshot is the log as the anchor knew it at one moment, and the bytes beyond that.
type snapshot struct {
	log     *segments
	size    int64
	anchor  Anchor
	slots   int
	keys    []sealKey
	mark    mark
	marked  bool   // the folder says that there was a mark
	spoiled string // what is wrong with seal.key
	locked  []byte // content of the file lock
}

// openSnapshot reads anchor and size under the append lock if it can be taken, because between an
// append and its anchor the two disagree.
func openSnapshot(dir string, o VerifyOptions) (s snapshot, err error) {
	unlock := shareLock(filepath.Join(dir, lockName))
	defer unlock()
	key := o.Key
	if s.locked, err = ReadPlain(filepath.Join(dir, lockName), 16); err != nil &&
		!errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return s, err
	}
	s.marked = len(s.locked) > 0 && o.Mark != ""
	if s.mark, err = readMark(o.Mark); err != nil {
		return s, err
	}
	if s.keys, s.spoiled, err = readKeys(dir); err != nil {
		return s, err
	}
	raw, err := ReadPlain(filepath.Join(dir, anchorName), anchorSize+1)
	noAnchor := errors.Is(err, fs.ErrNotExist)
	if err != nil && !noAnchor {
		return s, err
	}
	anchor, whole := parseAnchor(raw, key)
	s.anchor, s.slots = anchor, countSlots(raw, key)
	if s.log, err = openSegments(dir, o.Codec); err != nil {
		return s, err
	}
	if err := s.log.open(); err != nil {
		s.log.Close()
		return s, err
	}
	s.size = s.log.end()
	switch {
	case len(s.log.parts) == 0 && whole && anchor.Count > 0:
		err = &BadEntry{File: logName,
			Reason: fmt.Sprintf("the file is missing; the anchor remembers %s", Plural(anchor.Count,
				"entry"))}
	case len(s.log.parts) == 0:
		err = &fs.PathError{Op: "open", Path: filepath.Join(dir, logName), Err: fs.ErrNotExist}
	case noAnchor && s.size > 0:
		err = &BadEntry{File: anchorName, Reason: "the file is missing"}
	case !whole && (s.size > 0 || len(raw) > 0):
		err = &BadEntry{File: anchorName, Reason: "both of its slots are damaged"}
	default:
		return s, nil
	}
	s.log.Close()
	return s, err
}

type verifier struct {
	snapshot
	dir     string
	from    cursor // where the proof begins
	removed *tree  // over the entries that were pruned
	before  *resumed
	looked
	listed
	o       VerifyOptions
	at      cursor
	report  Report
	partial *BadEntry // the first thing that Complete misses
	found
}

// found is what the later steps need from the chain.
type found struct {
	points []Point // of VerifyOptions.Remember
	recs   []rec   // rec.close and its neighbours, not yet in listed
	// the first of them that names no session
	unnamed *BadEntry
	seals   []sealEntry // and the accept entries between them
	prunes  []Entry
	strange map[string]bool // transcripts without an entry, and whether the log names their runs
	signed  []Entry         // about passkeys, and what they signed
}

// A sealEntry is a seal, or an accept entry between seals.
type sealEntry struct {
	Entry
	before int64 // seals before it that were checked by an earlier Verify, and are not among them
}

// tell copies how far the proof has come into the report.
func (v *verifier) tell() {
	v.report.Entries, v.report.Bytes, v.report.Head = v.at.seq, v.at.offset, v.at.head
	v.report.Last = v.at.time.time()
}

// progress tells how far a step has come.
func (v *verifier) progress(step string, done, total int64) {
	if v.o.Progress != nil {
		v.o.Progress(step, done, total)
	}
}

// walk returns a walk from here on that collects what the rest of Verify needs.
func (v *verifier) walk(end int64) *walk {
	return &walk{r: v.log, end: end, at: v.at, last: v.anchor.Head,
		gap: func(g Gap) { v.report.Gaps = append(v.report.Gaps, g) },
		entry: func(f fields, hash Hash, offset, line int64) {
			v.collect(f, hash, offset, line, &v.found)
			v.vouch()
			if f.seq == 0 {
				v.report.First = stamp(f.time).time()
			}
		},
	}
}

// vouch moves what was found about transcripts to where there is room for it.
func (v *verifier) vouch() {
	v.vouched.add(v.found.recs...)
	v.found.recs = v.found.recs[:0]
}

// collect stores what the later steps of Verify need of one entry.
func (v *verifier) collect(f fields, hash Hash, offset, line int64, to *found) {
	switch kind := string(f.kind); {
	case kind == kindSeal, kind == KindAccept: // v.accepted reports the accept entries
		to.seals = append(to.seals, sealEntry{Entry: f.entry(hash, offset, line)})
	case kind == kindPrune:
		to.prunes = append(to.prunes, f.entry(hash, offset, line))
	case isAboutPasskey(kind, f.body):
		to.signed = append(to.signed, f.entry(hash, offset, line))
	case v.o.Transcript != nil && len(kind) > 4 && kind[:4] == "rec.":
		r, ok := readRec(f, offset)
		if !ok && to.unnamed == nil {
			to.unnamed = &BadEntry{File: logName, Seq: f.seq, Line: line, Offset: offset,
				Reason: kind + " names no session"}
		}
		if ok {
			to.recs = append(to.recs, r)
		}
	}
	if len(v.o.Remember) > 0 {
		_, asked := slices.BinarySearchFunc(v.o.Remember, f.seq+1,
			func(p Point, n int64) int { return cmp.Compare(p.Count, n) })
		if asked {
			to.points = append(to.points, Point{f.seq + 1, hash})
		}
	}
}
