package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
	"time"
)

// A Filter selects entries. Its zero value selects all.
type Filter struct {
	Kinds        []string           // exact, or "rec." for all that begin with it
	Since, Until time.Time          // Since <= time < Until
	Text         string             // that the body contains, as spelled there
	Match        func(e Entry) bool // decides about entries that pass the others
	Last         int                // only that many, the newest; 0 means all
	// only entries that begin at or after this byte of the log, which must be where an entry begins
	From int64
}

// Entries returns the entries of the log in dir, oldest first. It reads but does not prove; Verify
// does that. A line that is not an entry is returned as a *BadEntry with an empty Entry, and the
// loop may go on after it; every other error ends the sequence.
func Entries(dir string, f Filter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		parts, err := openSegments(dir)
		if err == nil && len(parts.parts) == 0 {
			err = &fs.PathError{Op: "open", Path: filepath.Join(dir, logName), Err: fs.ErrNotExist}
		}
		if err != nil {
			yield(Entry{}, fmt.Errorf("reading the log in %q: %w", dir, err))
			return
		}
		defer parts.Close()
		from := min(max(f.From, parts.start.offset), parts.end())
		log := io.NewSectionReader(parts, from, parts.end()-from)
		if f.Last <= 0 {
			f.scan(log, from, yield)
			return
		}
		var ring []Entry
		f.scan(log, from, func(e Entry, err error) bool {
			if err != nil {
				return yield(e, err)
			}
			if len(ring) == f.Last {
				ring = ring[1:]
			}
			ring = append(ring, e)
			return true
		})
		for _, e := range ring {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (f Filter) scan(r io.Reader, offset int64, yield func(Entry, error) bool) {
	in := bufio.NewReaderSize(r, MaxLine)
	for n := int64(1); ; n++ {
		line, err := in.ReadSlice('\n')
		at := offset
		offset += int64(len(line))
		long := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			var more []byte
			more, err = in.ReadSlice('\n')
			offset += int64(len(more))
		}
		switch {
		case errors.Is(err, io.EOF): // a line without newline is still being written
			return
		case err != nil:
			yield(Entry{}, err)
			return
		}
		line = bytes.TrimSuffix(line, newline)
		parts, ok := splitLine(line)
		ok = ok && !long
		taken := ok && f.takes(parts)
		switch {
		case !ok || taken && !json.Valid(parts.body): // an entry that is skipped is not parsed
			if !yield(Entry{}, &BadEntry{File: logName, Line: n, Offset: at,
				Reason: "not an entry"}) {
				return
			}
		case taken:
			e := parts.entry(sha256.Sum256(line), at, n)
			if (f.Match == nil || f.Match(e)) && !yield(e, nil) {
				return
			}
		}
	}
}

// takes decides on the raw line, so that entries that are skipped cost nothing.
func (f Filter) takes(p fields) bool {
	if !f.Since.IsZero() && string(p.time) < stampOf(f.Since).String() ||
		!f.Until.IsZero() && string(p.time) >= stampOf(f.Until).String() ||
		!bytes.Contains(p.body, []byte(f.Text)) {
		return false
	}
	for _, k := range f.Kinds {
		if string(p.kind) == k || strings.HasSuffix(k, ".") && strings.HasPrefix(string(p.kind),
			k) {
			return true
		}
	}
	return len(f.Kinds) == 0
}

// Holds reports whether the log in dir passed through a place. It is false for a place whose
// entries were removed.
func Holds(dir string, p Place) (bool, error) {
	if p.Count == 0 {
		return true, nil
	}
	s, err := openSegments(dir)
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
