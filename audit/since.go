package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
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
		return neverHad(*p)
	}
	v.from = at
	return nil
}

// find returns the cursor after the entry with number seq. It trusts what lines say about
// themselves, so the caller checks the hash.
func (v *verifier) find(seq int64) (at cursor, err error) {
	end := min(v.size, v.anchor.Size)
	at.offset, err = v.log.first(v.log.start.offset, end,
		func(f fields) bool { return f.seq >= seq })
	if err != nil {
		return at, err
	}
	found, ok, err := v.log.entryFrom(at.offset, end)
	if ok {
		at = found.after
	}
	return at, err
}

// search looks at every line. The bytes that a gap covers may contain lines that look like entries,
// and their numbers are in no order.
func (v *verifier) search(p Point) (at cursor, err error) {
	for at.offset = v.log.start.offset; ; {
		found, ok, err := v.log.entryFrom(at.offset, min(v.size, v.anchor.Size))
		if err != nil || !ok || found.seq == p.Count-1 && found.after.head == p.Head {
			return found.after, err
		}
		at = found.after
	}
}

// first returns where the first entry begins between two bytes for which is is true, if it is
// true for all after that one, and otherwise of any. If there is none, it returns end.
func (s *segments) first(low, end int64, is func(fields) bool) (int64, error) {
	begins := end
	for high := end; low < high; {
		mid := low + (high-low)/2
		found, ok, err := s.entryFrom(mid, end)
		switch {
		case err != nil:
			return end, err
		case !ok:
			high = mid
		case is(found.fields):
			high, begins = mid, found.begins
		default:
			low = found.after.offset
		}
	}
	return begins, nil
}

// A located is an entry and its place.
type located struct {
	fields
	begins int64
	after  cursor
}

// entryFrom reads the first entry that begins at or after offset; false if there is none before
// end.
func (s *segments) entryFrom(offset, end int64) (located, bool, error) {
	from := max(offset-1, s.start.offset)
	in := bufio.NewReaderSize(io.NewSectionReader(s, from, end-from), 4<<10)
	at := from
	if offset > s.start.offset { // to the next beginning of a line
		skipped, err := in.ReadBytes('\n')
		at += int64(len(skipped))
		if err != nil {
			return located{}, false, ignoreEOF(err)
		}
	}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return located{}, false, ignoreEOF(err)
		}
		begins := at
		at += int64(len(line))
		line = bytes.TrimSuffix(line, newline)
		if f, ok := splitLine(line); ok {
			return located{f, begins, cursor{offset: at, seq: f.seq + 1,
				head: sha256.Sum256(line), time: stamp(f.time)}}, true, nil
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
