package audit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A tail is the end of the log as the next append finds it.
type tail struct {
	anchor Anchor
	at     cursor
	size   int64 // of the file
	torn   int64 // bytes after at that are not entries
	bare   bool  // the last entry lacks its newline
	lost   bool  // a power cut took what the anchor remembered
}

// tail finds the last entry, and refuses a log that is not what this machine last wrote. If no
// process died since, it costs two small reads.
func (l *Log) tail() (t tail, err error) {
	a, state, size, err := l.openFilesAgain()
	t.size = size
	switch {
	case err != nil:
		return t, err
	case state != anchorGood:
		return t, &TamperError{File: anchorName, Offset: -1,
			Reason: "both of its slots are damaged"}
	case a.Fault != "":
		return t, fmt.Errorf("%w: %s", ErrNotDurable, a.Fault)
	case l.log == nil:
		return t, &TamperError{File: logName, Offset: -1,
			Reason: fmt.Sprintf("%q is missing; the anchor remembers %s", segmentName(a.Segment),
				Plural(a.Count, "entry"))}
	}
	if err := l.checkMark(a); err != nil {
		return t, err
	}
	t.anchor = a
	t.at = cursor{offset: a.Size, seq: a.Count, head: a.Head, time: stampOf(a.Time)}
	if err := l.checkLast(a, t.size); err != nil {
		var tampered *TamperError
		if a.Boot == l.opts.BootID || !errors.As(err, &tampered) || t.size < a.Synced ||
			a.Synced < a.Base {
			return t, err
		}
		t.lost = true
		t.at = cursor{offset: a.Synced, seq: a.SyncedCount, head: a.SyncedHead}
		if a.Sealed > a.SyncedCount { // found again below, or gone
			t.anchor.Epoch, t.anchor.Sealed = a.Epoch-1, 0
		}
	}
	return t, l.rollForward(&t)
}

// openFilesAgain returns the anchor and the size of the log. If the files behind the names changed,
// it opens them by name again.
func (l *Log) openFilesAgain() (a Anchor, state anchorState, size int64, err error) {
	if l.log != nil && l.anchor != nil {
		if a, state, size, err = l.look(); err == nil || !errors.Is(err, errMoved) {
			return a, state, size, err
		}
	}
	if err := l.reopen(); err != nil {
		return a, state, 0, err
	}
	if l.log != nil {
		return l.look()
	}
	a, state, err = l.readAnchor()
	return a, state, 0, err
}

// look reads the anchor and checks both files; errMoved if the log continued in another file.
func (l *Log) look() (a Anchor, state anchorState, size int64, err error) {
	if _, err := checkAt(l.dir, l.anchor, anchorName); err != nil {
		return a, state, 0, err
	}
	if a, state, err = l.readAnchor(); err != nil {
		return a, state, 0, err
	}
	if state == anchorGood && a.Segment != l.segment {
		return a, state, 0, errMoved
	}
	size, err = checkAt(l.dir, l.log, segmentName(l.segment))
	return a, state, a.Base + size, err
}

// checkLast compares the last entry that the anchor remembers with the log.
func (l *Log) checkLast(a Anchor, size int64) error {
	if size < a.Size {
		return &TamperError{File: logName, Offset: size,
			Reason: fmt.Sprintf("it was cut: the anchor remembers %s and %s",
				Plural(a.Size, "byte"), Plural(a.Count, "entry"))}
	}
	if a.Size == a.Base {
		return nil // empty, or just begun: what is before belongs to Verify
	}
	line := make([]byte, a.Last)
	if _, err := l.bytes(a).ReadAt(line, a.Size-a.Last); err != nil {
		return fmt.Errorf("reading the last entry of %q: %w", logName, err)
	}
	if n := len(line) - 1; n < 0 || line[n] != '\n' || sha256.Sum256(line[:n]) != a.Head {
		return &TamperError{File: logName, Offset: a.Size - a.Last,
			Reason: "its last entry is not the one remembered"}
	}
	return nil
}

// rollForward takes in the entries that the anchor does not know yet, because a process may die
// between the two writes, and measures what is torn.
func (l *Log) rollForward(t *tail) error {
	if t.size == t.at.offset {
		return nil
	}
	w := walk{r: l.bytes(t.anchor), end: t.size, at: t.at, open: true, entry: func(f fields, _ Hash,
		_, _ int64) {
		if string(f.kind) == kindSeal {
			t.anchor.Epoch, t.anchor.Sealed = t.anchor.Epoch+1, f.seq+1
		}
	}}
	err := w.run()
	t.at, t.bare, t.torn = w.at, w.bare, max(0, t.size-w.at.offset)
	var bad *BadEntry
	if err == nil || !errors.As(err, &bad) {
		return err
	}
	rest, err := io.ReadAll(io.NewSectionReader(l.bytes(t.anchor), w.at.offset,
		min(t.torn, 4*MaxLine)))
	if err != nil {
		return fmt.Errorf("reading the end of %q: %w", logName, err)
	}
	if !t.lost && t.anchor.Boot == l.opts.BootID && !isTorn(rest) {
		return &TamperError{File: logName, Offset: w.at.offset,
			Reason: "something else than this log's writers appended to it"}
	}
	return nil
}

// isTorn reports whether bytes can be what our own interrupted appends left: each is the beginning
// of a line without its end, the first at the start and every other after the newline that set the
// one before apart.
func isTorn(b []byte) bool {
	const start = `{"body":{`
	if len(b) > 0 && b[0] == '\n' {
		return false
	}
	for line := range strings.SplitSeq(string(b), "\n") {
		n := min(len(line), len(start))
		if line[:n] != start[:n] {
			return false
		}
		if _, whole := splitLine([]byte(line)); whole {
			return false
		}
	}
	return true
}
