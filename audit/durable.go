package audit

import (
	"errors"
	"fmt"
	"os"
)

// makeDurable returns when the disk has the first end bytes of the log.
//
// It runs without the append lock, so that others append meanwhile, and under
// a lock of its own: whoever holds that one stores for all who wait for it,
// and they find their bytes stored when their turn comes.
func (l *Log) makeDurable(end int64) (err error) {
	held, err := l.lockNamed(nil, syncName)
	if err != nil {
		return err
	}
	defer held.Close()
	l.step("sync locked")
	a, err := l.anchorNow()
	switch {
	case err != nil:
		return err
	case a.Fault != "":
		return fmt.Errorf("%w: %s", ErrNotDurable, a.Fault)
	case a.Synced >= end:
		return nil
	}
	fault := ""
	if err := datasync(l.log); err != nil {
		fault = plainWord(err.Error(), maxFault)
		l.poisoned = fmt.Errorf("%w: storing bytes %d to %d: %w", ErrNotDurable, a.Synced, a.Size, err)
	}
	l.step("synced")
	return errors.Join(l.poisoned, l.publish(a, fault))
}

// anchorNow reads the anchor between two appends.
func (l *Log) anchorNow() (Anchor, error) {
	if err := l.takeLock(); err != nil {
		return Anchor{}, err
	}
	defer l.freeLock()
	a, state, err := l.readAnchor()
	if err == nil && state != anchorGood {
		err = &TamperError{File: anchorName, Offset: -1, Reason: "neither of its two slots is whole"}
	}
	return a, err
}

// publish tells the other processes what is stored, or that storing failed.
func (l *Log) publish(stored Anchor, fault string) error {
	if err := l.takeLock(); err != nil {
		return err
	}
	defer l.freeLock()
	a, state, err := l.readAnchor()
	if err != nil || state != anchorGood {
		return errors.Join(err, &TamperError{File: anchorName, Offset: -1, Reason: "it changed while the log was being stored"})
	}
	switch {
	case fault != "":
		a.Fault = fault
	case a.Size >= stored.Size && a.Synced < stored.Size:
		a.Synced, a.SyncedCount, a.SyncedHead = stored.Size, stored.Count, stored.Head
	default:
		return nil
	}
	if err := l.writeAnchor(a); err != nil {
		return err
	}
	if fault == "" {
		l.writeMark(stored)
	}
	l.step("published")
	return nil
}

// maxReason bounds the words of a person, so that they fit a line.
const maxReason = 4096

// Accept goes on after tampering, or after a failed store, because a person
// said so: it adds an entry that names the bytes from the first bad one on,
// and what the anchor remembered, and anchors the log as it now is. Nothing is
// removed. It returns an error when there is nothing to accept.
func (l *Log) Accept(reason string) (Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, end, err := l.accept(reason[:min(len(reason), maxReason)])
	if err != nil {
		return Entry{}, fmt.Errorf("accept: %w", err)
	}
	l.poisoned, l.marked = nil, true
	return e, l.makeDurable(end)
}

func (l *Log) accept(reason string) (e Entry, end int64, err error) {
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
	s, err := openSegments(l.dir.Name())
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
	w := walk{r: s, end: size, at: s.start}
	err = w.run()
	if bad := (*BadEntry)(nil); err != nil && !errors.As(err, &bad) && !errors.Is(err, errTorn) {
		return e, 0, err
	}
	epoch, err := l.epochToGoOn(a.Epoch)
	if err != nil {
		return e, 0, err
	}
	gone := l.checkMark(a) != nil
	if !gone && state == anchorGood && a.Fault == "" && epoch == a.Epoch && w.at.offset == size && size == a.Size && w.at.head == a.Head {
		return e, 0, errors.New("nothing to accept: the log verifies")
	}
	return l.goOn(s, w.at, a, state, epoch, reason)
}

// goTo makes the last file that is there the one to go on in.
func (l *Log) goTo(s *segments) (base int64, err error) {
	n, base := s.last()
	if n == l.segment {
		return base, nil
	}
	f, err := openAt(l.dir, segmentName(n), openLogFlags&^os.O_CREATE)
	if err != nil {
		return 0, err
	}
	l.log.Close()
	l.log, l.segment = f, n
	return base, nil
}

// goOn writes the accept entry and an anchor without memory of what it covers.
func (l *Log) goOn(s *segments, at cursor, a Anchor, state anchorState, epoch int64, reason string) (e Entry, end int64, err error) {
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
	if err := l.setApart(s, b, kindAccept, Gap{Offset: at.offset, Bytes: s.end() - at.offset, Reason: reason}, had); err != nil {
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

// resetAnchor puts a new file in the place of an unreadable anchor.
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
