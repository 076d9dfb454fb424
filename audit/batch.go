package audit

import (
	"crypto/sha256"
	"fmt"
	"time"
)

// A batch is what one write appends: the caller's entry and, before it, any entries about the end
// of the log.
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

// clockSlack is how far a clock may be set back without an entry: time daemons step by less, and
// the previous time is used again.
const clockSlack = time.Second

// setClock sets the time of the next entries. Times in the log never go back without a clock entry
// that says so; otherwise an entry could be made to look older than those before it.
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

// write appends the batch in one write, then moves the anchor. After a short write the beginning of
// the batch remains; the next append finds it as a torn tail.
func (l *Log) write(b *batch, was Anchor) error {
	l.step("write")
	if _, err := l.log.Write(b.bytes); err != nil {
		l.step("torn")
		return fmt.Errorf("writing %q: %w", logName, err)
	}
	l.step("written")
	a := was
	a.Boot, a.Count, a.Head, a.Last, a.Size, a.Time = l.opts.BootID, b.at.seq, b.at.head, b.last,
		b.at.offset, b.at.time.time()
	a.Synced, a.SyncedCount, a.Sealed = min(a.Synced, a.Size), min(a.SyncedCount, a.Count),
		min(a.Sealed, a.Count)
	if err := l.writeAnchor(a); err != nil {
		return err
	}
	l.step("anchored")
	return nil
}

func later(a, b stamp) stamp {
	if a.before(b) {
		return b
	}
	return a
}
