package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
)

// Kinds that only this package writes.
const (
	KindRecover = "recover" // a torn tail was set apart
	// KindAccept is the kind of an entry by which a person accepted tampering: see Entry.Gap.
	KindAccept = "accept"
	kindClock  = "clock" // the clock was set back
	kindPrune  = "prune" // the first segments were removed
)

// A Gap is a stretch of the log without entries: what a crash tore, or what a person accepted. The
// entry that follows it names its bytes by offset, length and SHA-256, so it remains evidence.
type Gap struct {
	Seq    int64  // of the entry that covers it
	Kind   string // "recover" or "accept"
	Offset int64
	Bytes  int64 // 0: nothing is there; the anchor remembered more than the log held
	Reason string
	By     string    // the person who accepted it
	Time   time.Time // of the entry that covers it
	From   Doubtful  // of an accepted one: where the unproven part begins
}

// Accepted reports whether a person accepted tampering here, so that the entries from From up to
// Seq are not proven.
func (g Gap) Accepted() bool { return g.Kind == KindAccept }

// Unproven says which entries an accepted gap leaves unproven, and by whom, when and why it was
// accepted.
func (g Gap) Unproven() string {
	what := fmt.Sprintf("entries %d to %d are", g.From.Count, g.Seq-1)
	switch g.Seq - g.From.Count {
	case 0:
		what = fmt.Sprintf("what was before entry %d is", g.Seq)
	case 1:
		what = fmt.Sprintf("entry %d is", g.From.Count)
	}
	if g.Bytes > 0 {
		what = fmt.Sprintf("apart from %s of no entry, ", Plural(g.Bytes, "byte")) + what
	}
	by := g.By
	if by == "" {
		by = "someone"
	}
	return fmt.Sprintf("%s not proven: %s accepted that at %s: %q", what, by,
		g.Time.Format(time.RFC3339), g.Reason)
}

// Covers reports whether an entry at offset is in the unproven part.
func (g Gap) Covers(offset int64) bool {
	end := g.Offset + g.Bytes // where the entry that covers it begins, or the newline before that
	return g.Accepted() && offset >= g.From.Offset && offset < end
}

// Holds reports whether a byte is in the part without entries.
func (g Gap) Holds(offset int64) bool { return offset >= g.Offset && offset < g.Offset+g.Bytes }

// Doubtful is the place in the log up to which something vouched for it when a person accepted the
// rest: the number of entries, and the byte at which they end.
type Doubtful struct {
	Count  int64 `json:"count"`
	Offset int64 `json:"offset"`
}

// gapBody is the body of such an entry. Had is what the anchor remembered, if that was more than
// could be found.
type gapBody struct {
	By     string   `json:"by,omitempty"`
	Bytes  int64    `json:"bytes"`
	From   Doubtful `json:"from"`
	Had    *hadLog  `json:"had,omitempty"`
	Offset int64    `json:"offset"`
	Reason string   `json:"reason"`
	SHA256 string   `json:"sha256"`
}

type hadLog struct {
	Count int64  `json:"count"`
	Head  string `json:"head"`
	Size  int64  `json:"size"`
}

func isGapKind(kind []byte) bool {
	return string(kind) == KindRecover || string(kind) == KindAccept
}

type parsedGap struct {
	Gap
	sha string
}

func parseGap(f fields) (parsedGap, error) {
	var b gapBody
	if err := json.Unmarshal(f.body, &b); err != nil {
		return parsedGap{}, err
	}
	if b.From.Count < 0 || b.From.Count > f.seq || b.From.Offset < 0 || b.From.Offset > b.Offset {
		b.From = Doubtful{} // then nothing vouches for what is before it
	}
	g := Gap{Seq: f.seq, Kind: string(f.kind), Offset: b.Offset, Bytes: b.Bytes, Reason: b.Reason,
		By: b.By, Time: stamp(f.time).time(), From: b.From}
	return parsedGap{g, b.SHA256}, nil
}

// appendGapBody writes the canonical body of a recover or accept entry.
func appendGapBody(dst []byte, g Gap, sum Hash, had *Anchor) []byte {
	dst = append(dst, '{')
	if g.Accepted() {
		dst = append(canonical.AppendString(append(dst, `"by":`...), g.By), ',')
	}
	dst = append(dst, `"bytes":`...)
	dst = strconv.AppendInt(dst, g.Bytes, 10)
	if g.Accepted() {
		dst = fmt.Appendf(dst, `,"from":{"count":%d,"offset":%d}`, g.From.Count, g.From.Offset)
	}
	if had != nil {
		dst = fmt.Appendf(dst, `,"had":{"count":%d,"head":"%s","size":%d}`, had.Count, had.Head,
			had.Size)
	}
	dst = append(dst, `,"offset":`...)
	dst = strconv.AppendInt(dst, g.Offset, 10)
	dst = append(dst, `,"reason":`...)
	dst = canonical.AppendString(dst, g.Reason)
	dst = append(dst, `,"sha256":"`...)
	dst = hex.AppendEncode(dst, sum[:])
	return append(dst, `"}`...)
}

// Gap returns the part of the log before it that an entry sets apart, or false if there is none.
func (e Entry) Gap() (Gap, bool) {
	if !isGapKind([]byte(e.Kind)) {
		return Gap{}, false
	}
	g, err := parseGap(fields{seq: e.Seq, kind: []byte(e.Kind),
		time: []byte(stampOf(e.Time).String()), body: e.Body})
	return g.Gap, err == nil
}

// hashRange returns the SHA-256 of n bytes of r from offset on.
func hashRange(r io.ReaderAt, offset, n int64) (h Hash, err error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r, offset, n)); err != nil {
		return h, fmt.Errorf("reading the log at byte %d: %w", offset, err)
	}
	return Hash(sum.Sum(nil)), nil
}
