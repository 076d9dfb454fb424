package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// kept reports whether a removed entry is kept as a line: the chain of seals is one of keys, later
// answers are signed with passkeys that were paired earlier, and what a person accepted remains
// visible.
func kept(kind string) bool {
	return kind == kindSeal || kind == KindAccept || kind == KindRecover || kind == kindPrune ||
		kind == kindFactor
}

// A Retention says what of a record may be deleted. Zero means no limit.
type Retention struct {
	MaxAge   time.Duration // entries and transcripts older than that
	Dated    bool          // MaxAge is from a day that a person named, whatever the clock says
	MaxBytes int64         // of the log; for Sessions, of the transcripts: the oldest beyond it
}

// Prune removes the oldest segments of the log that r covers; the one being written to stays. What
// was proven stays proven: the hash of every removed entry is kept, and the seals among them; an
// entry of kind prune says what was removed; an older checkpoint, or a proof of a removed entry, is
// as valid as before.
//
// A segment that vouches for an existing transcript is kept, and all after it; so drop transcripts
// first (DropSessions). needed reports whether the transcript of a session exists; nil means none
// does.
//
// A log that does not verify is not pruned: the error is Verify's. Prune returns how many entries
// and bytes were removed, 0 if there is nothing to do.
func (l *Log) Prune(r Retention, reason string,
	needed func(sid string) bool) (entries, bytes int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries, bytes, err = l.prune(r, reason[:min(len(reason), MaxReason)], needed)
	if err != nil {
		return 0, 0, fmt.Errorf("prune: %w", err)
	}
	return entries, bytes, nil
}

func (l *Log) prune(r Retention, reason string,
	needed func(sid string) bool) (entries, size int64, err error) {
	held, err := l.lockNamed(nil, pruneLockName)
	if err != nil {
		return 0, 0, err
	}
	defer held.Close()
	dir := l.dir.Name()
	report, err := Verify(dir, VerifyOptions{Key: l.opts.Key, Codec: l.opts.Codec})
	if err != nil {
		return 0, 0, err
	}
	s, err := openSegments(dir, l.opts.Codec)
	if err != nil {
		return 0, 0, err
	}
	defer s.Close()
	c := &cut{log: s, end: min(s.end(), report.Bytes)}
	n, err := c.choose(r, l.opts.Now(), needed)
	if err != nil || n == 0 {
		return 0, 0, err
	}
	body, err := c.write(l.dir, s.parts[n], reason)
	if err != nil {
		return 0, 0, err
	}
	l.step("pruned listed")
	if _, err := l.append(kindPrune, body, Durable); err != nil {
		return 0, 0, err
	}
	l.step("pruned told")
	first := s.start
	return c.at.seq - first.seq, c.at.offset - first.offset, l.unlink(s, n)
}

// unlink removes the first n segments, oldest first, so that the log from its first remaining
// segment on is always whole (segments.begin). It holds the lock, so that no process opens a part
// of it.
func (l *Log) unlink(s *segments, n int) error {
	if err := l.takeLock(); err != nil {
		return err
	}
	defer l.freeLock()
	for _, p := range s.parts[:n] {
		// the packed one first: what a packing that died left of it must not be the log
		for _, name := range []string{packedName(p.n, p.size), segmentName(p.n)} {
			err := removeAt(l.dir, name)
			if err != nil && (name == p.file || !errors.Is(err, fs.ErrNotExist)) {
				return &os.PathError{Op: "remove", Path: name, Err: err}
			}
		}
		l.step("segment removed")
	}
	if s.pruned != nil {
		if err := removeAt(l.dir, s.pruned.name); err != nil {
			return &os.PathError{Op: "remove", Path: s.pruned.name, Err: err}
		}
	}
	return l.dir.Sync()
}

// A cut is a pruning in progress: one pass over the segments that may be removed.
type cut struct {
	log  *segments
	end  int64
	at   cursor
	tree tree
	list bytes.Buffer // the lines of the new memory
}

// choose reads as many segments as may be removed, and returns their number.
func (c *cut) choose(r Retention, now time.Time, needed func(string) bool) (int, error) {
	c.at = c.log.start
	if p := c.log.pruned; p != nil {
		t, err := p.load(c.log.dir)
		if err != nil {
			return 0, err
		}
		c.tree = *t
		for _, line := range p.lines {
			c.list.Write(append(line, '\n'))
		}
	}
	n := 0
	for ; n < len(c.log.parts)-1; n++ {
		tooBig := r.MaxBytes > 0 && c.end-c.log.parts[n].base > r.MaxBytes
		next := &cut{at: c.at,
			tree: tree{hashes: c.tree.hashes[:len(c.tree.hashes):len(c.tree.hashes)],
				size: c.tree.size}}
		free, err := next.take(c.log, c.log.parts[n+1].base, needed)
		if err != nil {
			return 0, err
		}
		tooOld := r.MaxAge > 0 && now.Sub(next.at.time.time()) > r.MaxAge
		if !free || !tooBig && !tooOld {
			break
		}
		c.at, c.tree = next.at, next.tree
		c.list.Write(next.list.Bytes())
	}
	return n, nil
}

// take reads the entries up to stop. It reports whether none of them vouches for something that is
// still needed.
func (c *cut) take(s *segments, stop int64, needed func(string) bool) (free bool, err error) {
	free = true
	w := walk{r: s, end: s.end(), stop: stop, at: c.at, entry: func(f fields, hash Hash, _,
		_ int64) {
		if err == nil {
			err = c.tree.add(hash)
		}
		if kept(string(f.kind)) {
			c.list.Write(appendLine(nil, string(f.kind), f.body, mustHash(f.prev), f.seq,
				stamp(f.time)))
		} else {
			c.list.WriteString(hash.String())
		}
		c.list.WriteByte('\n')
		var b recBody
		if needed != nil && strings.HasPrefix(string(f.kind), "rec.") && json.Unmarshal(f.body,
			&b) == nil {
			free = free && !needed(b.SID)
		}
	}}
	if runErr := w.run(); runErr != nil {
		return false, runErr
	}
	if err == nil && w.at.offset != stop {
		return false, nil // a gap reaches over the seam: it goes with the next segment
	}
	c.at = w.at
	return free, err
}

func mustHash(b []byte) Hash {
	h, _ := parseHash(b)
	return h
}

// write stores the memory of what is to be removed, and returns the body of the entry that says so.
// An existing file with this name can only be left by a pruning that died before it wrote that
// entry.
func (c *cut) write(dir *os.File, first segment, reason string) ([]byte, error) {
	root, err := c.tree.root()
	if err != nil {
		return nil, err
	}
	b := pruneBody{Count: c.at.seq, Head: c.at.head.String(), Offset: c.at.offset, Reason: reason,
		Root: root.String(), Segment: first.n, Time: c.at.time.String()}
	body := b.append(nil)
	name := prunedName(first.n)
	if err := removeAt(dir, name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, &os.PathError{Op: "remove", Path: name, Err: err}
	}
	f, err := openAt(dir, name, openLockFlags|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := io.Copy(f, io.MultiReader(bytes.NewReader(append(bytes.Clone(body), '\n')),
		&c.list)); err != nil {
		return nil, fmt.Errorf("writing %q: %w", name, err)
	}
	return body, errors.Join(f.Sync(), dir.Sync())
}
