package audit

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// VerifyOptions select what Verify checks besides the chain.
type VerifyOptions struct {
	Key     []byte // of the anchor's MAC, as in LogOptions
	Workers int    // cores to use; 0 means all
	// Remember are heads that were seen elsewhere, in a person's notes or on another machine: the
	// log must have passed through each. Without one, an old copy of the whole folder can be put
	// back unnoticed.
	Remember []Point
	// SealKey is the key that the first seal names, as a person pinned it. If it is set, a log
	// without seals does not verify.
	SealKey string
	// Mark is the file of LogOptions.Mark. What it remembers is required like a remembered head,
	// and a missing folder is then not a log without entries.
	Mark string
	// Since begins after an entry that was proven before (a remembered head, or Since of a
	// checkpoint). Nothing before it is checked, including remembered heads and the pinned key.
	Since *Point
	// Strict reads every entry a second time in another way, ten times slower.
	Strict bool
	// Complete also checks what a valid chain may leave out: every start was announced, had a valid
	// authority and has an end, every nonce ended once, every accepted tampering was shown first.
	Complete bool
	Meanwhile
	// Transcript opens the transcript of a session that the log names. It returns fs.ErrNotExist
	// for one that is gone, and in a copy perhaps ErrAwaited. It is called from several goroutines.
	// Nil: none is checked.
	Transcript func(sid string) (io.ReadCloser, error)
	// Transcripts says each transcript that there is, in any order and perhaps twice, to find those
	// that the log does not name. Nil: they are not checked.
	Transcripts func(say func(sid string)) error
	Signed
	Codec Codec // of packed segments
}

// Meanwhile is what Verify asks and tells while it works.
type Meanwhile struct {
	// Running reports, for Complete, that a run has no end because it is still running. Nil: every
	// run must have one.
	Running func(sid string) bool
	// Progress, if set, is called now and then with how far a step has come: the log in bytes of
	// its text, then transcripts.
	Progress func(step string, done, total int64)
	// Session, if set, is called with each transcript that was checked, in any order.
	Session func(Session)
	// AtRest, if set, makes the report say what the next Verify needs as AtRest.Before.
	AtRest *AtRest
	// Passkeys begins the check of what passkeys have signed; partial is true if earlier entries
	// are not known. Nil: it is not checked, and the report says so.
	Passkeys func(partial bool) PasskeyCheck
}

// A PasskeyCheck is given the body of each entry about passkeys, oldest first.
type PasskeyCheck interface {
	Take(body []byte) (reason string) // what is wrong with it; "" for nothing
	Unknown() int                     // entries that only earlier ones can prove
}

// Signed is the signed checkpoint that is stored beside a log, or nil, and the keys that may have
// signed it. If Known is nil, it is not checked, and the report says so.
type Signed struct {
	Checkpoint []byte
	Known      note.Verifiers
}

func (o VerifyOptions) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// A Point is the head of the log after Count entries.
type Point struct {
	Count int64
	Head  Hash
}

// ParsePoint reads SIZE:HASH, as Point.String writes it and a person stores it.
func ParsePoint(s string) (p Point, err error) {
	size, hash, ok := strings.Cut(s, ":")
	count, ok1 := parseSeq([]byte(digits(size)))
	head, ok2 := parseHash([]byte(hash))
	if !ok || !ok1 || !ok2 {
		return p, fmt.Errorf("%q is not SIZE:HASH", s)
	}
	return Point{Count: count, Head: head}, nil
}

// digits returns s if it is a number, and "" otherwise.
func digits(s string) string {
	if strings.Trim(s, "0123456789") != "" {
		return ""
	}
	return s
}

// String returns the point as ParsePoint reads it.
func (p Point) String() string { return fmt.Sprintf("%d:%s", p.Count, p.Head) }

// A Report says what Verify has proven. Together with an error it covers what is before the bad
// entry.
type Report struct {
	Entries     int64
	Bytes       int64 // of the log, up to the last entry
	Head        Hash
	First, Last time.Time
	Gaps        []Gap
	Torn        int64 // bytes after the last entry, of an append that was interrupted
	// entries that the anchor does not know yet, because a process died between the two writes
	NotAnchored int64
	// of the anchor that are whole: 2, or 1 after a crash during a write
	Slots    int
	Since    int64    // entries that were not looked at (VerifyOptions.Since)
	Runs     int      // that Complete judged
	Open     int      // of them, still running
	Revived  []string // of them, reported lost (KindOrphan) by mistake: their own entries follow
	Segments int      // files that the log is in
	Pruned   int64    // entries whose segments were removed, and whose hashes are kept
	Seals    int64
	Sealed   int64  // entries up to and with the last seal
	FirstKey string // named by the first seal; a rewritten log has another
	Checked
	Unproven []Gap // what a person accepted after tampering: see Gap.Unproven
	Strange
	Notes  []string // other unchecked facts, or findings that do not prove a change
	Before Before
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Before is what was verified before and has not changed since, so that it was not read again.
type Before struct {
	Time        time.Time // when
	Size        int64     // of the log then, also of what was parsed
	Entries     int64
	Transcripts int
	Missing     int // of them, gone
	// Next is what the next Verify needs as AtRest.Before; nil if nothing is worth it.
	Next *Verified
}

// Checked counts the transcripts that the log names and that were checked.
type Checked struct {
	Transcripts int // with those that are gone
	Missing     int // of them, gone
}

// Strange are the transcripts for which the log does not vouch.
type Strange struct {
	Unnamed   []string // no entry mentions them
	Unvouched []string // the log knows their runs, and says nothing about their content
}

// A Session is what Verify found about one transcript.
type Session struct {
	ID      string
	Closed  bool // the log holds its rec.close
	Missing bool // the log names it, but it is gone
	Summary Summary

	first, last int64 // where the first and the last entry about it are
	rests       bool  // it was verified before, with all that the log says about it
	back        bool  // the log says that it was dropped, and it is there
}
