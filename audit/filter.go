package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Filter selects entries. Its zero value selects all.
type Filter struct {
	Kinds        []string           // exact, or "rec." for all that begin with it
	Since, Until time.Time          // Since <= time < Until
	Text         string             // that the body contains, as spelled there
	Texts        []string           // of which it contains one
	Match        func(e Entry) bool // decides about entries that pass the others
	Last         int                // only that many, the newest; 0 means all
	// only entries that begin at or after this byte of the log, which must be where an entry begins
	From  int64
	To    int64 // only those that begin before this byte; 0 for the end
	Codec Codec // of packed segments
}

// takes decides on the raw line, so that entries that are skipped cost nothing.
func (f Filter) takes(p fields) bool {
	return f.takesKind(p.kind) &&
		(f.Since.IsZero() || string(p.time) >= stampOf(f.Since).String()) &&
		(f.Until.IsZero() || string(p.time) < stampOf(f.Until).String()) &&
		bytes.Contains(p.body, []byte(f.Text)) &&
		(len(f.Texts) == 0 || slices.ContainsFunc(f.Texts,
			func(t string) bool { return bytes.Contains(p.body, []byte(t)) }))
}

func (f Filter) takesKind(kind []byte) bool {
	for _, k := range f.Kinds {
		if string(kind) == k || strings.HasSuffix(k, ".") && strings.HasPrefix(string(kind), k) {
			return true
		}
	}
	return len(f.Kinds) == 0
}

// pass yields a line if the filter takes it, or a *BadEntry for one that is no entry: nil for a
// line that is too long.
func (f Filter) pass(line []byte, at, n int64, yield func(Entry, error) bool) bool {
	parts, ok := splitLine(line)
	taken := ok && f.takes(parts)
	if !ok || taken && !json.Valid(parts.body) { // an entry that is skipped is not parsed
		return yield(Entry{}, &BadEntry{File: logName, Line: n, Offset: at, Reason: "not an entry"})
	}
	if !taken {
		return true
	}
	e := parts.entry(sha256.Sum256(line), at, n)
	return f.Match != nil && !f.Match(e) || yield(e, nil)
}

func ended(err error, yield func(Entry, error) bool) {
	if err != io.EOF {
		yield(Entry{}, err)
	}
}

// openLog opens a log that exists.
func openLog(dir string, c Codec) (*segments, error) {
	parts, err := openSegments(dir, c)
	if err == nil && len(parts.parts) == 0 {
		err = &fs.PathError{Op: "open", Path: filepath.Join(dir, logName), Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the log in %q: %w", dir, err)
	}
	return parts, nil
}

// span is the part of a log that a filter reads.
func (f Filter) span(s *segments) (from, to int64) {
	if to = s.end(); f.To > 0 {
		to = min(max(f.To, s.start.offset), to)
	}
	return min(max(f.From, s.start.offset), to), to
}
