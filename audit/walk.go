package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

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

// errTorn is returned by run for an unterminated line at the end.
var errTorn = errors.New("unterminated line")

// run moves w.at forward as far as everything verifies. It returns nil at the end, errTorn if only
// an unterminated line is left, and *BadEntry for everything else; w.at is then before the bad
// line.
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

// reader reads from here to the end; its buffer holds the longest line.
func (w *walk) reader() *bufio.Reader {
	left := w.end - w.at.offset
	return bufio.NewReaderSize(io.NewSectionReader(w.r, w.at.offset, left),
		int(min(left+1, MaxLine)))
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

// blame decides which of two neighbours was changed if the link between them is broken: if what
// follows still names the second, it is the first.
func (w *walk) blame(reason string, line []byte, in *bufio.Reader) *BadEntry {
	bad := w.bad(reason)
	if reason != brokenLink || w.prev.offset == w.at.offset || w.at.seq == 0 {
		return bad
	}
	sum := Hash(sha256.Sum256(bytes.TrimSuffix(line, newline)))
	after, err := in.ReadSlice('\n')
	f, ok := splitLine(bytes.TrimSuffix(after, newline))
	if ok && string(f.prev) == sum.String() || errors.Is(err, io.EOF) && len(after) == 0 &&
		sum == w.last {
		return w.before()
	}
	return bad
}

// before names the entry before the current one.
func (w *walk) before() *BadEntry {
	return &BadEntry{File: logName, Seq: w.at.seq - 1, Line: w.prev.line + 1, Offset: w.prev.offset,
		Reason: "was changed: its text does not match the hash in the next entry"}
}

func (w *walk) bad(reason string) *BadEntry {
	return &BadEntry{File: logName, Seq: w.at.seq, Line: w.at.line + 1, Offset: w.at.offset,
		Reason: reason}
}

func (w *walk) sayGap(g Gap) {
	if w.gap != nil {
		w.gap(g)
	}
}

// maxCovers limits how often cover hashes the same bytes for a hostile file.
const maxCovers = 16

// cover looks after a line that does not verify for the entry that sets it apart, and moves the
// cursor past that entry if there is one.
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

// covers reports whether line is a good next entry that names the n bytes from start on.
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
