package audit

import (
	"errors"
	"fmt"
)

// Errors of an append that callers distinguish.
var (
	// ErrBody is returned if the bytes given to Append are not one canonical JSON object: the log
	// refuses what a verifier would have to guess at.
	ErrBody = errors.New("body is not a canonical JSON object")
	// ErrKind is returned for a kind that is not 1 to 32 bytes of a-z, 0-9, '.', '_', '-'.
	ErrKind = errors.New("kind is not 1 to 32 of a-z 0-9 . _ -")
	// ErrTooLong is returned for a line longer than readers accept.
	ErrTooLong = errors.New("entry is too long")
	// ErrBusy is returned if another process held the lock for all of LogOptions.Wait.
	ErrBusy = errors.New("audit lock is held by another process")
	// ErrNoSpace is returned for an Intent if the disk is so full that the later entries of the run
	// might not fit.
	ErrNoSpace = errors.New("not enough free disk space to record a run")
	// ErrNotDurable is returned if the kernel could not store an entry, now or in an earlier
	// process. It stays until Accept: after a failed fdatasync the kernel drops the dirty pages and
	// the next call reports success (https://wiki.postgresql.org/wiki/Fsync_Errors), so retrying
	// proves nothing.
	ErrNotDurable = errors.New("an earlier entry could not be made durable")
	// ErrUnsafe is returned if a file or folder of the log is a link, is not a plain file, belongs
	// to another user or is open to others.
	ErrUnsafe = errors.New("unsafe audit file")
	// ErrUnsupported is returned on systems without an append protocol. Verifying and replaying
	// work everywhere.
	ErrUnsupported = errors.New("the audit log is written on Linux and macOS only")
)

// A TamperError is returned if the log is not what this machine last wrote. Append refuses until a
// person accepts what was found (Log.Accept).
type TamperError struct {
	File   string // name inside the audit folder
	Offset int64  // byte in that file from which it differs; -1 for the whole file
	Reason string
}

func (e *TamperError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("tampering with %q: %s", e.File, e.Reason)
	}
	return fmt.Sprintf("tampering with %q at byte %d: %s", e.File, e.Offset, e.Reason)
}

// A SegmentError is returned if a file of the log cannot be read, so that nothing is known of its
// entries. Verify returns it as a BadEntry.
type SegmentError struct {
	File string
	Err  error
}

func (e *SegmentError) Error() string { return fmt.Sprintf("%s: %v", e.File, e.Err) }

// Unwrap returns the reason.
func (e *SegmentError) Unwrap() error { return e.Err }

// A BadEntry is the first entry (of the log) or event (of a transcript) that
// does not verify. Everything before it is proven.
type BadEntry struct {
	File   string // "log.jsonl", "anchor.json", or the transcript's name
	Seq    int64  // number that the entry has, or should have had
	Line   int64  // counted from 1; 0 for the whole file
	Offset int64  // of the line's first byte
	Reason string
	Torn   bool // only its end is missing, as after a crash
}

func (e *BadEntry) Error() string {
	return fmt.Sprintf("%s: entry %d (line %d, byte %d): %s", e.File, e.Seq, e.Line, e.Offset,
		e.Reason)
}

func neverHad(p Point) *BadEntry {
	return &BadEntry{File: logName, Seq: p.Count - 1,
		Reason: fmt.Sprintf("the log never had the head %s after %s", p.Head,
			Plural(p.Count, "entry"))}
}
