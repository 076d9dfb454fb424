package audit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// MaxReason is the maximum length of the reason that a person gives, so that it fits a line.
const MaxReason = 4096

// maxName is the maximum length of the name of the person who accepted.
const maxName = 128

// ErrNothingToAccept is returned by Accept for a log without tampering.
var ErrNothingToAccept = errors.New("nothing to accept: the log verifies")

// Accept lets the log continue after tampering, or after a failed store, because a named person
// said so. It adds an entry with the bytes from the first bad one on, what the anchor remembered,
// and from where on nothing vouches for the log. Then it anchors the log as it now is. Nothing is
// removed, and nothing becomes proven by it: see Gap.Unproven. seen are places that others remember
// of this log; if the log lacks one, there is something to accept. The error is ErrNothingToAccept
// if nothing is wrong.
func (l *Log) Accept(by, reason string, seen ...Place) (Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := acceptance{by: plainWord(by, maxName), reason: reason[:min(len(reason), MaxReason)],
		seen: seen, held: map[Place]bool{}}
	e, end, err := l.accept(&a)
	if err != nil {
		return Entry{}, fmt.Errorf("accept: %w", err)
	}
	l.poisoned, l.marked = nil, true
	return e, l.makeDurable(end)
}

// An acceptance is what is known of the log when a person accepts it.
type acceptance struct {
	by, reason string
	seen       []Place        // that others remember, and require
	own        []Place        // that the anchor and the mark remember
	vouched    Doubtful       // how far something outside the log vouches for it
	held       map[Place]bool // the remembered ones that the log has
}

// look records an entry for which something vouches: it is remembered, or it is a seal.
func (a *acceptance) look(f fields, hash Hash, offset, end int64) {
	p := Place{Count: f.seq + 1, Size: end, Last: end - offset, Head: hash}
	known := false
	for _, list := range [][]Place{a.seen, a.own} {
		for _, s := range list {
			if s.Count == p.Count && s.Head == p.Head {
				known, a.held[s] = true, true
			}
		}
	}
	if string(f.kind) == kindSeal {
		_, reason := checkSeal(f.entry(hash, offset, 0))
		known = known || reason == ""
	}
	if known {
		a.vouched = Doubtful{Count: p.Count, Offset: end}
	}
}

// lacks reports whether the log lacks what others require of it. For pruned entries this is
// unknown.
func (a *acceptance) lacks(start cursor) bool {
	return slices.ContainsFunc(a.seen, func(p Place) bool {
		return p.Count > start.seq && !a.held[p]
	})
}

// recalled returns what anchor and mark remember of the log.
func (l *Log) recalled() (places []Place, err error) {
	raw, err := io.ReadAll(io.NewSectionReader(l.anchor, 0, anchorSize))
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", anchorName, err)
	}
	for i := 0; i+slotSize <= len(raw); i += slotSize {
		if a, ok := readSlot(raw[i : i+slotSize]); ok && a.wrote(raw[i:i+slotSize], l.opts.Key) {
			places = append(places, Place{Count: a.Count, Head: a.Head}, Place{Count: a.SyncedCount,
				Head: a.SyncedHead})
		}
	}
	m, err := readMark(l.opts.Mark)
	if err == nil && m.state == markWhole {
		places = append(places, m.Place)
	}
	return places, err
}

func (l *Log) accept(said *acceptance) (e Entry, end int64, err error) {
	if err := l.takeLock(); err != nil {
		return e, 0, err
	}
	defer l.freeLock()
	a, state, _, err := l.openFilesAgain()
	if err != nil {
		return e, 0, err
	}
	if l.log == nil {
		if err := l.createLog(); err != nil {
			return e, 0, err
		}
	}
	s, err := openSegments(l.dir.Name(), l.opts.Codec)
	if err != nil {
		return e, 0, err
	}
	defer s.Close()
	a.Base, err = l.goTo(s)
	if err != nil {
		return e, 0, err
	}
	a.Segment = l.segment
	size := s.end()
	if said.own, err = l.recalled(); err != nil {
		return e, 0, err
	}
	said.vouched = Doubtful{Count: s.start.seq, Offset: s.start.offset}
	w := walk{r: s, end: size, at: s.start}
	w.entry = func(f fields, hash Hash, offset, _ int64) { said.look(f, hash, offset, w.at.offset) }
	err = w.run()
	if bad := (*BadEntry)(nil); err != nil && !errors.As(err, &bad) && !errors.Is(err, errTorn) {
		return e, 0, err
	}
	epoch, err := l.epochToGoOn(a.Epoch)
	if err != nil {
		return e, 0, err
	}
	gone := l.checkMark(a) != nil || said.lacks(s.start)
	if !gone && state == anchorGood && a.Fault == "" && epoch == a.Epoch && w.at.offset == size &&
		size == a.Size && w.at.head == a.Head {
		return e, 0, ErrNothingToAccept
	}
	return l.goOn(s, w.at, a, state, epoch, said)
}

// goTo makes the last existing file the one to continue in, or begins one if that is packed.
func (l *Log) goTo(s *segments) (base int64, err error) {
	n, base := s.last()
	if n == l.segment {
		return base, nil
	}
	flags := openLogFlags &^ os.O_CREATE
	if s.parts[len(s.parts)-1].pack {
		n, base, flags = n+1, s.end(), openLogFlags
	}
	f, err := openAt(l.dir, segmentName(n), flags)
	if err != nil {
		return 0, err
	}
	l.log.Close()
	l.log, l.segment = f, n
	return base, nil
}

// goOn writes the accept entry, and an anchor that no longer remembers what the entry covers.
func (l *Log) goOn(s *segments, at cursor, a Anchor, state anchorState, epoch int64,
	said *acceptance) (e Entry, end int64, err error) {
	now := later(stampOf(l.opts.Now()), later(at.time, stampOf(a.Time)))
	had := &a
	if state != anchorGood {
		base := a.Base
		a, had = newAnchor(l.opts.BootID), nil
		a.Base, a.Segment = base, l.segment
		if err := l.resetAnchor(); err != nil {
			return e, 0, err
		}
	}
	b := &batch{at: at, now: now}
	if err := l.setApart(s, b, KindAccept, Gap{Offset: at.offset, Bytes: s.end() - at.offset,
		Reason: said.reason, By: said.by, From: said.vouched}, had); err != nil {
		return e, 0, err
	}
	was := a
	was.Epoch = epoch
	was.Fault, was.Synced, was.SyncedCount, was.SyncedHead = "", 0, 0, Genesis()
	if err := l.write(b, was); err != nil {
		return e, 0, err
	}
	line := b.bytes
	if line[0] == '\n' {
		line = line[1:]
	}
	f, _ := splitLine(line[:len(line)-1])
	return f.entry(b.at.head, b.at.offset-b.last, 0), b.at.offset, nil
}

// resetAnchor replaces an unreadable anchor with a new file.
func (l *Log) resetAnchor() (err error) {
	if err := removeAt(l.dir, anchorName); err != nil {
		return &os.PathError{Op: "remove", Path: anchorName, Err: err}
	}
	l.anchor.Close()
	if l.anchor, err = openAt(l.dir, anchorName, openAnchorFlags); err != nil {
		return err
	}
	_, err = l.anchor.WriteAt(firstAnchor(l.opts.BootID, l.opts.Key), 0)
	return errors.Join(err, l.anchor.Sync())
}

// epochToGoOn returns the epoch in which an accepted log continues: the expected one if its key
// exists, otherwise that of the existing key, otherwise none, with a new first key.
func (l *Log) epochToGoOn(expected int64) (int64, error) {
	keys, _, err := readKeys(l.dir.Name())
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	epoch := keys[0].epoch
	for _, k := range keys {
		if k.epoch == expected {
			return expected, nil
		}
		epoch = min(epoch, k.epoch)
	}
	return epoch, nil
}
