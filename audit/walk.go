package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Kinds that only this package writes.
const (
	KindRecover = "recover" // a torn tail was set apart
	// KindAccept is of an entry by which a person went on after tampering: see Entry.Gap.
	KindAccept = "accept"
	kindClock  = "clock" // the clock was set back
	kindPrune  = "prune" // the first segments were removed
)

// A Gap is a stretch of the log that holds no entries: what a crash tore, or
// what a person accepted. The entry that follows it names its bytes by
// offset, length and SHA-256, so it stays evidence.
type Gap struct {
	Seq    int64  // of the entry that covers it
	Kind   string // "recover" or "accept"
	Offset int64
	Bytes  int64 // 0: nothing is there; the anchor remembered more than the log held
	Reason string
	By     string    // who accepted it
	Time   time.Time // of the entry that covers it
	From   Doubtful  // of an accepted one: where the unproven part begins
}

// Accepted reports whether a person went on here after tampering, so that the
// entries from From up to Seq are not proven.
func (g Gap) Accepted() bool { return g.Kind == KindAccept }

// Unproven says which entries an accepted gap leaves unproven, who accepted
// that, when and why.
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
		by = "somebody"
	}
	return fmt.Sprintf("%s not proven: %s accepted that at %s: %q", what, by, g.Time.Format(time.RFC3339), g.Reason)
}

// Covers reports whether what begins at an offset of the log is in the
// unproven part.
func (g Gap) Covers(offset int64) bool {
	end := g.Offset + g.Bytes // where the entry that covers it begins, or the newline before that
	return g.Accepted() && offset >= g.From.Offset && offset < end
}

// Holds reports whether a byte is among those that are no entries.
func (g Gap) Holds(offset int64) bool { return offset >= g.Offset && offset < g.Offset+g.Bytes }

// Doubtful is a place in the log up to which something vouched for it when a
// person accepted the rest: so many entries, which end at that byte.
type Doubtful struct {
	Count  int64 `json:"count"`
	Offset int64 `json:"offset"`
}

// gapBody is the body of such an entry. Had is what the anchor remembered,
// when it was more than could be found.
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

// A cursor is everything the next line depends on.
type cursor struct {
	offset int64
	line   int64 // lines before offset
	seq    int64 // of the next entry
	head   Hash
	time   stamp // of the last entry
}

func startCursor() cursor { return cursor{head: Genesis()} }

const brokenLink = "prev is not the hash of the entry before"

// next checks one line against the cursor, and moves the cursor past it (and
// its newline) when reason is "".
func (c *cursor) next(line []byte) (f fields, reason string) {
	if f, ok := splitLine(line); ok {
		if err := checkObject(f.body); err != nil {
			return f, "body: " + err.Error()
		}
	}
	return c.link(line)
}

// link is next without a look into the body: what is in it is bound by the
// hash that the next line names, so where that one is known it says the same
// at half the cost.
func (c *cursor) link(line []byte) (f fields, reason string) {
	f, ok := splitLine(line)
	var hexed [2 * sha256.Size]byte
	hex.Encode(hexed[:], c.head[:])
	switch {
	case !ok:
		return f, "not an entry"
	case f.seq != c.seq:
		return f, fmt.Sprintf("is numbered %d, not %d", f.seq, c.seq)
	case !bytes.Equal(f.prev, hexed[:]):
		return f, brokenLink
	case bytes.Compare(f.time, c.time[:]) < 0 && string(f.kind) != kindClock:
		return f, fmt.Sprintf("time %s is before that of the entry before", f.time)
	}
	c.offset += int64(len(line)) + 1
	c.line++
	c.seq++
	c.head = sha256.Sum256(line)
	c.time = stamp(f.time)
	return f, ""
}

// A walk reads a stretch of the log in order.
type walk struct {
	r    io.ReaderAt
	end  int64 // bytes to look at
	stop int64 // return at the first line that starts here or later; 0 means end
	at   cursor
	last Hash // of the last line before end, when known from elsewhere
	open bool // take a good last line that lacks its newline, and set bare
	bare bool

	entry func(f fields, hash Hash, offset, line int64) // for each good entry; may be nil
	gap   func(Gap)                                     // for each covered gap; may be nil

	prev cursor // before the entry read last; its offset tells whether there is one
}

// errTorn is what run returns for an unterminated line at the end.
var errTorn = errors.New("unterminated line")

// run moves w.at forward as far as everything verifies. It returns nil at
// the end, errTorn when only an unterminated line is left, and *BadEntry for
// everything else; w.at then stands before the trouble.
func (w *walk) run() error {
	w.prev = w.at
	if w.stop == 0 {
		w.stop = w.end
	}
	for w.at.offset < w.stop { // once more after each covered gap
		in := w.reader()
		bad, err := w.lines(in)
		if err != nil || bad == nil {
			return err
		}
		found, err := w.cover()
		if err != nil {
			return err
		}
		if !found {
			return bad
		}
	}
	return nil
}

// reader reads from here to the end; any line fits its buffer.
func (w *walk) reader() *bufio.Reader {
	left := w.end - w.at.offset
	return bufio.NewReaderSize(io.NewSectionReader(w.r, w.at.offset, left), int(min(left+1, MaxLine)))
}

// lines reads entries until one does not verify.
func (w *walk) lines(in *bufio.Reader) (*BadEntry, error) {
	for w.at.offset < w.stop {
		line, err := in.ReadSlice('\n')
		before := w.at
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil, nil
		case errors.Is(err, io.EOF) && !w.open:
			return nil, errTorn
		case errors.Is(err, io.EOF):
			w.bare = true
		case errors.Is(err, bufio.ErrBufferFull):
			return w.bad(fmt.Sprintf("line is longer than %d bytes", MaxLine)), nil
		case err != nil:
			return nil, fmt.Errorf("reading the log at byte %d: %w", w.at.offset, err)
		}
		f, reason := w.at.next(bytes.TrimSuffix(line, newline))
		if reason != "" {
			w.bare = false
			return w.blame(reason, line, in), nil
		}
		w.prev = before
		if isGapKind(f.kind) {
			g, err := parseGap(f)
			if err != nil || g.Offset != before.offset || g.Bytes != 0 {
				w.at, w.bare = before, false
				return w.bad(string(f.kind) + " does not describe the bytes before it"), nil
			}
			w.sayGap(g.Gap)
		}
		if w.entry != nil {
			w.entry(f, w.at.head, before.offset, w.at.line)
		}
	}
	return nil, nil
}

// blame tells which of two neighbours was changed when the link between them
// is broken: if what follows still names the second one, it is the first.
func (w *walk) blame(reason string, line []byte, in *bufio.Reader) *BadEntry {
	bad := w.bad(reason)
	if reason != brokenLink || w.prev.offset == w.at.offset || w.at.seq == 0 {
		return bad
	}
	sum := Hash(sha256.Sum256(bytes.TrimSuffix(line, newline)))
	after, err := in.ReadSlice('\n')
	f, ok := splitLine(bytes.TrimSuffix(after, newline))
	if ok && string(f.prev) == sum.String() || errors.Is(err, io.EOF) && len(after) == 0 && sum == w.last {
		return w.before()
	}
	return bad
}

// before names the entry before the one at hand.
func (w *walk) before() *BadEntry {
	return &BadEntry{File: logName, Seq: w.at.seq - 1, Line: w.prev.line + 1, Offset: w.prev.offset, Reason: "was changed: its text does not match the hash in the next entry"}
}

func (w *walk) bad(reason string) *BadEntry {
	return &BadEntry{File: logName, Seq: w.at.seq, Line: w.at.line + 1, Offset: w.at.offset, Reason: reason}
}

func (w *walk) sayGap(g Gap) {
	if w.gap != nil {
		w.gap(g)
	}
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
		b.From = Doubtful{} // then nothing before it is vouched for
	}
	g := Gap{Seq: f.seq, Kind: string(f.kind), Offset: b.Offset, Bytes: b.Bytes, Reason: b.Reason, By: b.By, Time: stamp(f.time).time(), From: b.From}
	return parsedGap{g, b.SHA256}, nil
}

var newline = []byte{'\n'}

// maxCovers bounds how often cover hashes the same bytes for a hostile file.
const maxCovers = 16

// cover looks behind a line that does not verify for the entry that sets it
// apart, and moves the cursor past that entry when there is one.
func (w *walk) cover() (bool, error) {
	start, tried := w.at.offset, 0
	mark := fmt.Appendf(nil, `,"prev":"%s","seq":%d,"time":"`, w.at.head, w.at.seq)
	in := w.reader()
	whole := true // the slice starts a line
	for at, lines := start, int64(0); tried < maxCovers; {
		line, err := in.ReadSlice('\n')
		full, last := errors.Is(err, bufio.ErrBufferFull), errors.Is(err, io.EOF)
		switch {
		case last && (len(line) == 0 || !w.open):
			return false, nil
		case err != nil && !full && !last:
			return false, err
		}
		if whole && !full && at > start && bytes.Contains(line, mark) {
			tried++
			g, ok, err := w.covers(bytes.TrimSuffix(line, newline), start, at-1-start)
			if err != nil {
				return false, err
			}
			if ok {
				w.at.line += lines
				w.at.offset = at
				w.bare, w.prev = last, w.at
				f, _ := w.at.next(bytes.TrimSuffix(line, newline))
				w.sayGap(g)
				if w.entry != nil {
					w.entry(f, w.at.head, at, w.at.line)
				}
				return true, nil
			}
		}
		at += int64(len(line))
		whole = !full
		if whole {
			lines++
		}
	}
	return false, nil
}

// covers tells whether line is a good next entry that names the n bytes from
// start on.
func (w *walk) covers(line []byte, start, n int64) (Gap, bool, error) {
	after := w.at
	f, reason := after.next(line)
	if reason != "" || !isGapKind(f.kind) {
		return Gap{}, false, nil
	}
	g, err := parseGap(f)
	if err != nil || g.Offset != start || g.Bytes != n {
		return Gap{}, false, nil
	}
	sum, err := hashRange(w.r, start, n)
	return g.Gap, err == nil && sum.String() == g.sha, err
}

// hashRange is the SHA-256 of n bytes of r from offset on.
func hashRange(r io.ReaderAt, offset, n int64) (h Hash, err error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r, offset, n)); err != nil {
		return h, fmt.Errorf("reading the log at byte %d: %w", offset, err)
	}
	return Hash(sum.Sum(nil)), nil
}

// appendGapBody writes the canonical body of a recover or accept entry.
func appendGapBody(dst []byte, g Gap, sum Hash, had *Anchor) []byte {
	dst = append(dst, '{')
	if g.Accepted() {
		dst = append(appendString(append(dst, `"by":`...), g.By), ',')
	}
	dst = append(dst, `"bytes":`...)
	dst = strconv.AppendInt(dst, g.Bytes, 10)
	if g.Accepted() {
		dst = fmt.Appendf(dst, `,"from":{"count":%d,"offset":%d}`, g.From.Count, g.From.Offset)
	}
	if had != nil {
		dst = fmt.Appendf(dst, `,"had":{"count":%d,"head":"%s","size":%d}`, had.Count, had.Head, had.Size)
	}
	dst = append(dst, `,"offset":`...)
	dst = strconv.AppendInt(dst, g.Offset, 10)
	dst = append(dst, `,"reason":`...)
	dst = appendString(dst, g.Reason)
	dst = append(dst, `,"sha256":"`...)
	dst = hex.AppendEncode(dst, sum[:])
	return append(dst, `"}`...)
}
