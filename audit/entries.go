package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
)

// Entries returns the entries of the log in dir, oldest first. It reads but does not prove; Verify
// does that. A line that is not an entry is returned as a *BadEntry with an empty Entry, and the
// loop may go on after it; every other error ends the sequence.
func Entries(dir string, f Filter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if f.Last > 0 {
			f.last(dir, yield)
			return
		}
		parts, err := openLog(dir, f.Codec)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer parts.Close()
		from, to := f.span(parts)
		f.scan(io.NewSectionReader(parts, from, to-from), from, yield)
	}
}

// last reads the newest entries from the end, and returns them in order.
func (f Filter) last(dir string, yield func(Entry, error) bool) {
	type one struct {
		e   Entry
		err error
	}
	var list []one
	n := 0
	for e, err := range Newest(dir, f) {
		list = append(list, one{e, err})
		if err == nil {
			n++
		}
		if n == f.Last {
			break
		}
	}
	for _, x := range slices.Backward(list) {
		if !yield(x.e, x.err) {
			return
		}
	}
}

func (f Filter) scan(r io.Reader, offset int64, yield func(Entry, error) bool) {
	in := bufio.NewReaderSize(r, 64<<10)
	var whole []byte // of a line longer than that
	for n := int64(1); ; n++ {
		line, err := in.ReadSlice('\n')
		at := offset
		offset += int64(len(line))
		long := errors.Is(err, bufio.ErrBufferFull)
		for whole = whole[:0]; errors.Is(err, bufio.ErrBufferFull); {
			if whole = append(whole, line...); len(whole) > MaxLine {
				whole = whole[:MaxLine]
			}
			line, err = in.ReadSlice('\n')
			offset += int64(len(line))
		}
		if err != nil { // a line without newline is still being written
			ended(err, yield)
			return
		}
		if long {
			whole = append(whole, line...)
			line = whole
		}
		if line = bytes.TrimSuffix(line, newline); len(line) >= MaxLine {
			line = nil
		}
		if !f.pass(line, at, n, yield) {
			return
		}
	}
}

// Holds reports whether the log in dir passed through a place. It is false for a place whose
// entries were removed.
func Holds(dir string, p Place, c Codec) (bool, error) {
	if p.Count == 0 {
		return true, nil
	}
	s, err := openSegments(dir, c)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer s.Close()
	if p.Last <= 0 || p.Last > MaxLine || p.Size-p.Last < s.start.offset || p.Size > s.end() {
		return p.Size == s.start.offset && p.Head == s.start.head, nil
	}
	line := make([]byte, p.Last)
	if _, err := s.ReadAt(line, p.Size-p.Last); err != nil {
		return false, fmt.Errorf("reading the log at byte %d: %w", p.Size-p.Last, err)
	}
	return sha256.Sum256(bytes.TrimSuffix(line, newline)) == p.Head, nil
}
