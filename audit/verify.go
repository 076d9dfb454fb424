package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// VerifyOptions choose what Verify looks at besides the chain.
type VerifyOptions struct {
	Key     []byte // of the anchor's MAC, as in LogOptions
	Workers int    // cores to use; 0 means all
	// Remember are heads that were seen elsewhere, in a person's notes or on
	// another machine: the log must have passed through each. Without one,
	// putting back an old copy of the whole folder cannot be noticed.
	Remember []Point
	// SealKey is the key that the first seal names, as a person pinned it. When
	// it is given, a log without seals is not believed.
	SealKey string
	// Mark is the file of LogOptions.Mark: what it remembers is demanded like
	// a remembered head, and a folder that is gone is then no log without
	// entries.
	Mark string
	// Since begins behind an entry that was proven before (a remembered head,
	// or Since of a checkpoint). What is before it is not looked at, and
	// neither are remembered heads and the pinned key.
	Since *Point
	// Strict reads every entry a second time by other means, ten times slower.
	Strict bool
	// Complete also judges what a chain that is whole may leave out: every
	// start was announced, had a valid authority and has an end, every nonce
	// died once, every accepted tampering was shown first.
	Complete bool
	// Running tells, for Complete, that a run has no end because it has not
	// ended. Nil: every run must have one.
	Running func(sid string) bool
	// Transcript opens the transcript of a session that the log names.
	// It returns fs.ErrNotExist for one that is gone. It is called from
	// several goroutines. Nil: none is checked.
	Transcript func(sid string) (io.ReadCloser, error)
	// Transcripts lists the transcripts that are there, to find those that the
	// log does not name. Nil: it is not asked.
	Transcripts func() ([]string, error)
	// Checkpoint is the signed checkpoint that is kept beside the log, nil when
	// there is none; Known has the keys that may have signed it. Nil Known: it
	// is not checked, and the report says so.
	Checkpoint []byte
	Known      note.Verifiers
}

func (o VerifyOptions) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// A Point is the head of the log after Count entries.
type Point struct {
	Count int64
	Head  Hash
}

// A Report says what Verify has proven. Together with an error it covers what
// comes before the bad entry.
type Report struct {
	Entries     int64
	Bytes       int64 // of the log, up to the last entry
	Head        Hash
	First, Last time.Time
	Gaps        []Gap
	Torn        int64    // bytes after the last entry, of an append that was interrupted
	NotAnchored int64    // entries that the anchor does not know yet, because a process died between the two writes
	Slots       int      // of the anchor that are whole: 2, or 1 after a crash in the middle of a write
	Since       int64    // entries that were not looked at (VerifyOptions.Since)
	Runs        int      // that Complete judged
	Open        int      // of them, still running
	Revived     []string // of them, reported lost (KindOrphan) by mistake: their own entries follow
	Segments    int      // files that the log is in
	Pruned      int64    // entries whose segments were removed, and whose hashes are kept
	Seals       int64
	Sealed      int64  // entries up to and with the last seal
	FirstKey    string // that the first seal names; whoever rewrites the whole log has another one
	Transcripts []Session
	Unproven    []Gap    // what a person accepted after tampering: see Gap.Unproven
	Unnamed     []string // transcripts that no entry speaks of
	Unvouched   []string // transcripts of runs that the log knows, whose content it does not vouch for
	Notes       []string // what else could not be checked, or was found and proves no change
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// A Session is what Verify found about one transcript.
type Session struct {
	ID      string
	Closed  bool // the log holds its rec.close
	Missing bool // the log names it, but it is gone
	Summary Summary
}

// Verify reads the log in dir, and everything it vouches for, and returns
// nil only when all of it is as it was written. The error is a *BadEntry for
// the first entry that is not, fs.ErrNotExist when there is no log at all,
// ErrUnsafe for a link in place of a file, or what went wrong reading.
//
// It writes nothing, and works on a copy of the folder too. A log that
// processes are appending to is verified as it was at the moment of the call.
func Verify(dir string, o VerifyOptions) (Report, error) {
	s, err := openSnapshot(dir, o)
	if m := s.mark; m.Count > 0 {
		o.Remember = append(slices.Clone(o.Remember), m.Point())
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.mark.Count > 0:
		return Report{}, &BadEntry{File: logName, Reason: s.mark.against(Anchor{})}
	case errors.Is(err, fs.ErrNotExist) && s.marked:
		return Report{}, &BadEntry{File: logName, Reason: "the log is missing; there was one"}
	case err != nil:
		return Report{}, fmt.Errorf("verify %q: %w", dir, err)
	}
	defer s.log.Close()
	v := verifier{snapshot: s, o: o, dir: dir}
	for _, step := range []func() error{v.checkpoint, v.since, v.chain, v.rest, v.checkPruned, v.checkSeals, v.remembered, v.strict, v.beside, v.accepted, v.complete, v.transcripts, v.unnamed, v.whole} {
		if err := step(); err != nil {
			return v.report, s.log.name(err)
		}
	}
	return v.report, nil
}

// A snapshot is the log as the anchor knew it at one moment, and the bytes
// that were there beyond.
type snapshot struct {
	log     *segments
	size    int64
	anchor  Anchor
	slots   int
	keys    []sealKey
	mark    mark
	marked  bool   // the folder says that there was a mark
	spoiled string // what is wrong with seal.key
	locked  []byte // what the file lock holds
}

// openSnapshot reads anchor and size under the append lock where it can be
// had, because between an append and its anchor the two disagree.
func openSnapshot(dir string, o VerifyOptions) (s snapshot, err error) {
	unlock := shareLock(filepath.Join(dir, lockName))
	defer unlock()
	key := o.Key
	if s.locked, err = readPlain(filepath.Join(dir, lockName), 16); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return s, err
	}
	s.marked = len(s.locked) > 0 && o.Mark != ""
	if s.mark, err = readMark(o.Mark); err != nil {
		return s, err
	}
	if s.keys, s.spoiled, err = readKeys(dir); err != nil {
		return s, err
	}
	raw, err := readPlain(filepath.Join(dir, anchorName), anchorSize+1)
	noAnchor := errors.Is(err, fs.ErrNotExist)
	if err != nil && !noAnchor {
		return s, err
	}
	anchor, whole := parseAnchor(raw, key)
	s.anchor, s.slots = anchor, countSlots(raw, key)
	if s.log, err = openSegments(dir); err != nil {
		return s, err
	}
	s.size = s.log.end()
	switch {
	case len(s.log.parts) == 0 && whole && anchor.Count > 0:
		err = &BadEntry{File: logName, Reason: fmt.Sprintf("the file is missing; the anchor remembers %s", Plural(anchor.Count, "entry"))}
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

// openPlain opens a plain file for reading, and no link in its place.
func openPlain(path string) (*os.File, error) {
	named, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %q is not a plain file", ErrUnsafe, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(named, opened) {
		f.Close()
		return nil, fmt.Errorf("%w: %q was replaced while it was opened", ErrUnsafe, path)
	}
	return f, nil
}

func readPlain(path string, limit int64) ([]byte, error) {
	f, err := openPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

type verifier struct {
	snapshot
	dir     string
	from    cursor // where the proof begins
	removed *tree  // over the entries that were pruned
	o       VerifyOptions
	at      cursor
	report  Report
	partial *BadEntry // the first thing that Complete misses
	found
}

// found is what the chain holds for the later steps.
type found struct {
	points []Point // of VerifyOptions.Remember
	recs   []Entry // rec.close and its neighbours
	seals  []Entry // and the accept entries between them
	prunes []Entry
}

// chain checks the part of the log that the anchor remembers.
func (v *verifier) chain() error {
	slices.SortFunc(v.o.Remember, func(a, b Point) int { return cmp.Compare(a.Count, b.Count) })
	v.report.Slots = v.slots
	v.at = v.from
	v.report.Since = v.from.seq - v.log.start.seq
	v.report.Segments = len(v.log.parts)
	end := min(v.size, v.anchor.Size)
	if err := v.parallel(end, v.o.workers()); err != nil {
		return err
	}
	v.tell()
	cut := &BadEntry{File: logName, Seq: v.at.seq, Line: v.at.line + 1, Offset: v.at.offset}
	last, _ := v.log.last()
	switch {
	case last < v.anchor.Segment:
		cut.Reason = fmt.Sprintf("%q is missing: the anchor remembers %s in %s", segmentName(v.anchor.Segment), Plural(v.anchor.Count, "entry"), Plural(v.anchor.Size, "byte"))
	case v.size < v.anchor.Size && (v.at.seq != v.anchor.Count || v.at.head == v.anchor.Head): // else the last entry is there, and shorter than it was
		cut.Reason = fmt.Sprintf("the log was cut here: the anchor remembers %s in %s", Plural(v.anchor.Count, "entry"), Plural(v.anchor.Size, "byte"))
	case v.at.seq != v.anchor.Count || v.at.head != v.anchor.Head:
		cut.Seq, cut.Offset = v.at.seq-1, v.anchor.Size-v.anchor.Last
		cut.Line = v.at.line
		cut.Reason = fmt.Sprintf("was changed: the anchor remembers %s and another head", Plural(v.anchor.Count, "entry"))
	default:
		return nil
	}
	return cut
}

// rest looks at what came after the anchor was written. An unterminated line
// is an append that was interrupted: the next one sets it apart.
func (v *verifier) rest() error {
	w := v.walk(v.size)
	w.open = true
	err := w.run()
	if w.bare {
		w.at.offset-- // the newline is not there yet
	}
	v.report.NotAnchored = w.at.seq - v.at.seq
	v.at = w.at
	v.tell()
	var bad *BadEntry
	if err == nil || !errors.Is(err, errTorn) && !errors.As(err, &bad) {
		return err
	}
	torn, readErr := io.ReadAll(io.NewSectionReader(v.log, w.at.offset, min(v.size-w.at.offset, 4*MaxLine)))
	if readErr != nil {
		return readErr
	}
	if !isTorn(torn) {
		return &BadEntry{File: logName, Seq: w.at.seq, Line: w.at.line + 1, Offset: w.at.offset, Reason: "another program appended to it"}
	}
	v.report.Torn = int64(len(torn))
	return nil
}

// tell copies how far the proof has come into the report.
func (v *verifier) tell() {
	v.report.Entries, v.report.Bytes, v.report.Head = v.at.seq, v.at.offset, v.at.head
	v.report.Last = v.at.time.time()
}

// walk is a walk from here on that collects what the rest of Verify needs.
func (v *verifier) walk(end int64) *walk {
	return &walk{r: v.log, end: end, at: v.at, last: v.anchor.Head,
		gap: func(g Gap) { v.report.Gaps = append(v.report.Gaps, g) },
		entry: func(f fields, hash Hash, offset, line int64) {
			v.collect(f, hash, offset, line, &v.found)
			if f.seq == 0 {
				v.report.First = stamp(f.time).time()
			}
		},
	}
}

// collect keeps what the later steps of Verify need of one entry.
func (v *verifier) collect(f fields, hash Hash, offset, line int64, to *found) {
	switch kind := string(f.kind); {
	case kind == kindSeal, kind == KindAccept: // of the accept entries v.accepted tells
		to.seals = append(to.seals, f.entry(hash, offset, line))
	case kind == kindPrune:
		to.prunes = append(to.prunes, f.entry(hash, offset, line))
	case v.o.Transcript != nil && len(kind) > 4 && kind[:4] == "rec.":
		to.recs = append(to.recs, f.entry(hash, offset, line))
	}
	if len(v.o.Remember) > 0 {
		_, asked := slices.BinarySearchFunc(v.o.Remember, f.seq+1, func(p Point, n int64) int { return cmp.Compare(p.Count, n) })
		if asked {
			to.points = append(to.points, Point{f.seq + 1, hash})
		}
	}
}

// remembered compares the heads that others remember.
func (v *verifier) remembered() error {
	for _, p := range v.o.Remember {
		if p.Count <= v.from.seq && v.report.Since > 0 || p.Count == 0 && p.Head == Genesis() || slices.Contains(v.found.points, p) {
			continue
		}
		bad := &BadEntry{File: logName, Seq: p.Count - 1, Reason: fmt.Sprintf("the log never had the head %s after %s", p.Head, Plural(p.Count, "entry"))}
		if p.Count > v.at.seq {
			bad.Seq, bad.Line, bad.Offset = v.at.seq, v.at.line+1, v.at.offset
			bad.Reason = fmt.Sprintf("the log ends here, but it had %s", Plural(p.Count, "entry"))
		}
		return bad
	}
	return nil
}
