package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

// since begins the proof after the entry that VerifyOptions.Since names, which was proven before:
// its hash covers everything before it. The entry is found by its number with a binary search.
func (v *verifier) since() error {
	v.from = v.log.start
	p := v.o.Since
	if p == nil || p.Count == v.from.seq && p.Head == v.from.head {
		return nil
	}
	at, err := v.find(p.Count - 1)
	if err == nil && at.head != p.Head {
		at, err = v.search(*p)
	}
	if err != nil {
		return err
	}
	if at.head != p.Head {
		return &BadEntry{File: logName, Seq: p.Count - 1,
			Reason: fmt.Sprintf("the log never had the head %s after %s", p.Head,
				Plural(p.Count, "entry"))}
	}
	v.from = at
	return nil
}

// find returns the cursor after the entry with number seq. It trusts what lines say about
// themselves, so the caller checks the hash.
func (v *verifier) find(seq int64) (at cursor, err error) {
	end := min(v.size, v.anchor.Size)
	for low, high := v.log.start.offset, end; low < high; {
		mid := low + (high-low)/2
		next, n, err := v.entryFrom(mid, end)
		switch {
		case err != nil:
			return at, err
		case n == seq:
			return next, nil
		case n < 0 || n > seq:
			high = mid
		default:
			low = max(next.offset, mid+1)
		}
		at, n, err = v.entryFrom(low, end)
		if err != nil || n == seq {
			return at, err
		}
	}
	return at, nil
}

// search looks at every line. The bytes that a gap covers may contain lines that look like entries,
// and their numbers are in no order.
func (v *verifier) search(p Point) (at cursor, err error) {
	for at.offset = v.log.start.offset; ; {
		next, n, err := v.entryFrom(at.offset, min(v.size, v.anchor.Size))
		if err != nil || n < 0 || n == p.Count-1 && next.head == p.Head {
			return next, err
		}
		at = next
	}
}

// entryFrom reads the first entry that begins at or after offset, and returns the cursor after it
// and its number, or -1 if there is none before end.
func (v *verifier) entryFrom(offset, end int64) (cursor, int64, error) {
	from := max(offset-1, v.log.start.offset)
	in := bufio.NewReaderSize(io.NewSectionReader(v.log, from, end-from), 64<<10)
	at := from
	if offset > v.log.start.offset { // to the next beginning of a line
		skipped, err := in.ReadBytes('\n')
		at += int64(len(skipped))
		if err != nil {
			return cursor{}, -1, ignoreEOF(err)
		}
	}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return cursor{}, -1, ignoreEOF(err)
		}
		at += int64(len(line))
		line = bytes.TrimSuffix(line, newline)
		if f, ok := splitLine(line); ok {
			return cursor{offset: at, seq: f.seq + 1, head: sha256.Sum256(line),
				time: stamp(f.time)}, f.seq, nil
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
