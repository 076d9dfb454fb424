package audit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Append adds one entry and returns it as written. The body is the bytes of
// one canonical JSON object, made by the caller and written as they are.
//
// When it returns an error nothing may be believed recorded, and what was
// going to happen must not happen: ErrBody, ErrKind, ErrTooLong (nothing was
// written); ErrBusy; ErrNoSpace (Intent only); *TamperError; ErrNotDurable;
// ErrUnsafe; or the error of the system call. After an error the entry may
// still be in the log, whole: the announcement of something that then did
// not happen.
func (l *Log) Append(kind string, body []byte, d Durability) (Entry, error) {
	if !validKind([]byte(kind)) || isGapKind([]byte(kind)) || kind == kindClock || kind == kindSeal || kind == kindPrune {
		return Entry{}, fmt.Errorf("append %q: %w", kind, ErrKind)
	}
	if err := checkObject(body); err != nil {
		return Entry{}, fmt.Errorf("append %q: %w: %w", kind, ErrBody, err)
	}
	if len(body) > MaxLine-256 {
		return Entry{}, fmt.Errorf("append %q: %w: %s, at most %d", kind, ErrTooLong, Plural(len(body), "byte"), MaxLine-256)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e, err := l.append(kind, body, d)
	if err != nil {
		return Entry{}, fmt.Errorf("append %q: %w", kind, err)
	}
	return e, nil
}

func (l *Log) append(kind string, body []byte, d Durability) (Entry, error) {
	if l.poisoned != nil {
		return Entry{}, l.poisoned
	}
	if d == Intent {
		if err := l.checkSpace(); err != nil {
			return Entry{}, err
		}
	}
	e, end, err := l.appendLocked(kind, body)
	if err != nil && isNoSpace(err) && d != Intent && l.Relieve() == nil {
		e, end, err = l.appendLocked(kind, body)
	}
	if err != nil {
		return Entry{}, err
	}
	if d == Lazy {
		return e, nil
	}
	return e, l.makeDurable(end)
}

func (l *Log) checkSpace() error {
	free, total, err := freeSpace(l.dir)
	if err != nil {
		return fmt.Errorf("asking for free space: %w", err)
	}
	need := l.opts.MinFree
	if need == 0 {
		need = min(lowSpace, total/50)
	}
	if free < need {
		return fmt.Errorf("%w: %d KiB free, %d KiB needed", ErrNoSpace, free>>10, need>>10)
	}
	return nil
}

// appendLocked writes the entry and the anchor under the lock, and returns
// the size of the log after it.
func (l *Log) appendLocked(kind string, body []byte) (e Entry, end int64, err error) {
	if err := l.takeLock(); err != nil {
		return e, 0, err
	}
	defer l.freeLock()
	l.step("locked")
	t, err := l.tail()
	if err != nil {
		return e, 0, err
	}
	if err := l.rotate(&t); err != nil {
		return e, 0, err
	}
	b, err := l.repair(t)
	if err != nil {
		return e, 0, err
	}
	b.setClock(l.opts.Now())
	e = b.add(kind, body)
	if err := l.write(b, t.anchor); err != nil {
		return e, 0, err
	}
	return e, b.at.offset, nil
}

// write appends the batch in one write, then moves the anchor. After a short
// write the beginning of the batch stays where it is; the next append finds
// it as a torn tail.
func (l *Log) write(b *batch, was Anchor) error {
	l.step("write")
	if _, err := l.log.Write(b.bytes); err != nil {
		l.step("torn")
		return fmt.Errorf("writing %q: %w", logName, err)
	}
	l.step("written")
	a := was
	a.Boot, a.Count, a.Head, a.Last, a.Size, a.Time = l.opts.BootID, b.at.seq, b.at.head, b.last, b.at.offset, b.at.time.time()
	a.Synced, a.SyncedCount, a.Sealed = min(a.Synced, a.Size), min(a.SyncedCount, a.Count), min(a.Sealed, a.Count)
	if err := l.writeAnchor(a); err != nil {
		return err
	}
	l.step("anchored")
	return nil
}

// A batch is what one write appends: the caller's entry, and before it what
// has to be said about the end of the log.
type batch struct {
	at    cursor
	bytes []byte
	last  int64 // length of the last line
	now   stamp
}

func (b *batch) add(kind string, body []byte) Entry {
	from := len(b.bytes)
	b.bytes = appendLine(b.bytes, kind, body, b.at.head, b.at.seq, b.now)
	line := b.bytes[from:]
	f, _ := splitLine(line)
	hash := Hash(sha256.Sum256(line))
	e := f.entry(hash, b.at.offset, 0)
	b.last = int64(len(line)) + 1
	b.at = cursor{offset: b.at.offset + b.last, seq: b.at.seq + 1, head: hash, time: b.now}
	b.bytes = append(b.bytes, '\n')
	return e
}

// clockSlack is how far a clock may be set back without a word: time daemons
// step by less, and the time before is used again.
const clockSlack = time.Second

// setClock fixes the time of the entries to come. Times in the log never go
// back without a clock entry that says so, or an entry could be made to look
// older than those before it.
func (b *batch) setClock(now time.Time) {
	was := b.at.time
	b.now = stampOf(now)
	switch {
	case !b.now.before(was):
	case was.time().Sub(now) <= clockSlack:
		b.now = was
	default:
		b.add(kindClock, fmt.Appendf(nil, `{"was":"%s"}`, was))
	}
}

// A tail is the end of the log as the next append finds it.
type tail struct {
	anchor Anchor
	at     cursor
	size   int64 // of the file
	torn   int64 // bytes after at that are no entries
	bare   bool  // the last entry lacks its newline
	lost   bool  // a power cut took what the anchor remembered
}

// tail finds the last entry, and refuses a log that is not what this machine
// last wrote. It costs two small reads when no process died since.
func (l *Log) tail() (t tail, err error) {
	a, state, size, err := l.openFilesAgain()
	t.size = size
	switch {
	case err != nil:
		return t, err
	case state != anchorGood:
		return t, &TamperError{File: anchorName, Offset: -1, Reason: "both of its slots are damaged"}
	case a.Fault != "":
		return t, fmt.Errorf("%w: %s", ErrNotDurable, a.Fault)
	case l.log == nil:
		return t, &TamperError{File: logName, Offset: -1, Reason: fmt.Sprintf("%q is missing; the anchor remembers %s", segmentName(a.Segment), Plural(a.Count, "entry"))}
	}
	if err := l.checkMark(a); err != nil {
		return t, err
	}
	t.anchor = a
	t.at = cursor{offset: a.Size, seq: a.Count, head: a.Head, time: stampOf(a.Time)}
	if err := l.checkLast(a, t.size); err != nil {
		var tampered *TamperError
		if a.Boot == l.opts.BootID || !errors.As(err, &tampered) || t.size < a.Synced || a.Synced < a.Base {
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

// openFilesAgain returns the anchor and the size of the log, after following
// names if the files behind them changed.
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

// look reads the anchor and checks both files; errMoved when the log went on
// in another one.
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

// bytes reads the segment that is written to, by offsets into the whole log.
func (l *Log) bytes(a Anchor) shifted { return shifted{l.log, a.Base} }

// checkLast compares the last entry that the anchor remembers with the log.
func (l *Log) checkLast(a Anchor, size int64) error {
	if size < a.Size {
		return &TamperError{File: logName, Offset: size, Reason: fmt.Sprintf("it was cut: the anchor remembers %s and %s", Plural(a.Size, "byte"), Plural(a.Count, "entry"))}
	}
	if a.Size == a.Base {
		return nil // empty, or just begun: what is before belongs to Verify
	}
	line := make([]byte, a.Last)
	if _, err := l.bytes(a).ReadAt(line, a.Size-a.Last); err != nil {
		return fmt.Errorf("reading the last entry of %q: %w", logName, err)
	}
	if n := len(line) - 1; n < 0 || line[n] != '\n' || sha256.Sum256(line[:n]) != a.Head {
		return &TamperError{File: logName, Offset: a.Size - a.Last, Reason: "its last entry is not the one remembered"}
	}
	return nil
}

// rollForward takes in the entries that the anchor does not know yet, since
// a process may die between the two writes, and measures what is torn.
func (l *Log) rollForward(t *tail) error {
	if t.size == t.at.offset {
		return nil
	}
	w := walk{r: l.bytes(t.anchor), end: t.size, at: t.at, open: true, entry: func(f fields, _ Hash, _, _ int64) {
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
	rest, err := io.ReadAll(io.NewSectionReader(l.bytes(t.anchor), w.at.offset, min(t.torn, 4*MaxLine)))
	if err != nil {
		return fmt.Errorf("reading the end of %q: %w", logName, err)
	}
	if !t.lost && t.anchor.Boot == l.opts.BootID && !isTorn(rest) {
		return &TamperError{File: logName, Offset: w.at.offset, Reason: "something else than this log's writers appended to it"}
	}
	return nil
}

// isTorn tells whether bytes can be the remains of our own appends that
// died: each is the beginning of a line without its end, the first at the
// start and every other after the newline that set the one before apart.
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

// repair begins the batch with what must be said about the tail. A torn tail
// is never cut off: an attacker could make a good last entry look torn.
func (l *Log) repair(t tail) (*batch, error) {
	b := &batch{at: t.at}
	if t.torn == 0 && !t.bare && !t.lost {
		return b, nil
	}
	b.now = later(t.at.time, stampOf(t.anchor.Time))
	if t.bare {
		b.bytes = append(b.bytes, '\n') // t.at already counts it
	}
	if t.torn == 0 && !t.lost {
		return b, nil
	}
	g, had := Gap{Offset: t.at.offset, Bytes: t.torn, Reason: "torn tail"}, (*Anchor)(nil)
	if t.lost {
		g.Reason, had = "power cut", &t.anchor
	}
	return b, l.setApart(l.bytes(t.anchor), b, KindRecover, g, had)
}

// setApart adds the entry that covers the gap at the end of the log, on a
// line of its own.
func (l *Log) setApart(r io.ReaderAt, b *batch, kind string, g Gap, had *Anchor) error {
	if g.Bytes > 0 {
		var last [1]byte
		if _, err := r.ReadAt(last[:], g.Offset+g.Bytes-1); err != nil {
			return fmt.Errorf("reading the end of %q: %w", logName, err)
		}
		b.at.offset = g.Offset + g.Bytes
		if last[0] == '\n' {
			g.Bytes--
		} else {
			b.bytes = append(b.bytes, '\n')
			b.at.offset++
		}
	}
	sum, err := hashRange(r, g.Offset, g.Bytes)
	if err != nil {
		return err
	}
	g.Kind = kind
	b.add(kind, appendGapBody(nil, g, sum, had))
	return nil
}

func later(a, b stamp) stamp {
	if a.before(b) {
		return b
	}
	return a
}
