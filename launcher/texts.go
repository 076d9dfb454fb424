package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
)

// maxCommand is how much of a command line is in the log. A longer one is bound by its hash and is
// in full at the beginning of the transcript: the length of a line of the log is bounded.
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

// vouch is the entry of a transcript in the log: its head, so that not a byte of it can change.
func vouch(sum audit.Summary) object {
	return object{"head": sum.Head.String(), "bytes": sum.Bytes, "count": sum.Count}
}
