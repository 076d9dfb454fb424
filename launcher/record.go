package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
)

// The kinds of record that a run writes, in their order. Approval events stand between intent
// and start under the kinds that package approval gives them.
const (
	kindIntent = "exec.intent" // what is about to be done, and by which verdict
	kindDenied = "exec.denied" // it was not done
	kindStart  = "exec.start"  // it runs, in this fence
	kindEnd    = "exec.end"    // how it ended
	kindFailed = "exec.failed" // it could not be started
)

// kindTraffic is what a run did with the network, as it does it.
const kindTraffic = "net.traffic"

// ends are the kinds that tell the end of a run.
var ends = []string{kindDenied, kindEnd, kindFailed}

// isEnd reports whether a kind of entry is about the end of a run.
func isEnd(kind string) bool { return slices.Contains(ends, kind) }

// A RecordError says that an entry could not be written. What cannot be recorded does not run.
type RecordError struct {
	Kind string
	Err  error
}

func (e *RecordError) Error() string {
	var tampered *audit.TamperError
	help := "tadactl audit verify"
	switch {
	case errors.As(e.Err, &tampered), errors.Is(e.Err, audit.ErrNotDurable):
		help += "; to accept it after a review: tadactl audit accept --reason WHY"
	case isFull(e.Err):
		help = makeRoom
	}
	return fmt.Sprintf("cannot record %q, so nothing runs: %v; try: %s", e.Kind, e.Err, help)
}

// makeRoom is what helps where the disk of the state directory is full.
const makeRoom = "df -h ~/.tada; to delete old transcripts: tadactl gc --older 30d"

// isFull reports whether there was no room to write.
func isFull(err error) bool {
	return errors.Is(err, audit.ErrNoSpace) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Unwrap returns the cause.
func (e *RecordError) Unwrap() error { return e.Err }

// maxCommand is how much of a command line stands in the log. A longer one is bound by its
// hash and stands in full at the beginning of the transcript: one line of the log is bounded.
const maxCommand = 32 << 10

func beginning(text string) string { return text[:min(len(text), maxCommand)] }

// brief is a text for a status line: its beginning and its end, with the number of characters
// between them.
func brief(text string, room int) string {
	var b strings.Builder
	for _, p := range render.Shorten(text, nil, room) {
		if p.Cut > 0 {
			fmt.Fprintf(&b, " [%s cut] ", audit.Plural(p.Cut, "char"))
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// sha256Of is the hash of the text itself, as sha256sum(1) prints it.
func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// vouch is what the log says of a transcript: its head, so that not a byte of it can change.
func vouch(sum audit.Summary) object {
	return object{"head": sum.Head.String(), "bytes": sum.Bytes, "count": sum.Count}
}
