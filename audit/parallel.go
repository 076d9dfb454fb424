package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// chunkSize is how much one worker checks at a time: small enough to stay in the cache between
// reading and hashing, large enough that the seams cost little.
const chunkSize = 256 << 10

// window is how many chunks are handed out before all of them were joined, and ahead how many
// pieces may wait to be joined: what was found in them is in memory.
const (
	window = 1 << 10
	ahead  = 16
)

// slack is how much is read after a chunk for the end of its last line, which is rarely longer.
const slack = 4 << 10

// A piece is what a worker found in the lines that start in one chunk. It assumes that the entry
// before is the one that its first line names; joining the pieces checks that.
type piece struct {
	from, to int64 // its lines are the bytes from..to
	good     bool
	lines    int64
	before   cursor // that its first line requires
	after    cursor
	first    stamp
	clock    bool // the first line is a clock entry, whose time may go back
	found    found
	gaps     []Gap
	err      error // reading failed
}

// parallel checks the first end bytes of the log. Entries depend on each other only through the
// hash that the next one names, so chunks are checked separately and joined in order. If that
// fails, the part is read once more, in order, to find the bad entry or the one that sets a gap
// apart.
func (v *verifier) parallel(end int64, workers int) error {
	before := v.at // the start of the piece joined last
	for start := v.at.offset; start < end; start += window * chunkSize {
		var err error
		if before, err = v.window(before, start, end, workers); err != nil {
			return err
		}
	}
	return nil
}

// window checks the chunks from start on, at most as many as are handed out at a time, and returns
// the start of the piece joined last.
func (v *verifier) window(before cursor, start, end int64, workers int) (cursor, error) {
	n := min(window, int((end-start+chunkSize-1)/chunkSize))
	pieces := make([]piece, n)
	done := make([]chan struct{}, n)
	for i := range done {
		done[i] = make(chan struct{})
	}
	var next atomic.Int64
	var all sync.WaitGroup
	defer all.Wait()
	free, stop := make(chan struct{}, ahead), make(chan struct{})
	defer close(stop)
	for range min(workers, n) {
		all.Go(func() {
			var buf []byte
			for {
				select {
				case free <- struct{}{}:
				case <-stop:
					return
				}
				i := next.Add(1) - 1
				if int(i) >= n {
					return
				}
				pieces[i], buf = v.piece(start+i*chunkSize, end, buf)
				close(done[i])
			}
		})
	}
	for i := range pieces {
		<-done[i]
		<-free
		p := &pieces[i]
		switch {
		case p.err != nil:
			return before, p.err
		case p.to <= v.at.offset:
			continue
		case p.good && p.from == v.at.offset && p.joins(v.at):
			before = v.at
			v.join(p)
		default:
			if err := v.inOrder(before, p.to, end); err != nil {
				return before, err
			}
			before = v.at
		}
		pieces[i] = piece{}
		v.progress("log", v.at.offset-v.from.offset, end-v.from.offset)
	}
	return before, nil
}

// joins reports whether the first line of p follows the entry before at.
func (p *piece) joins(at cursor) bool {
	return p.before.seq == at.seq && p.before.head == at.head &&
		(p.clock || !p.first.before(at.time))
}

// join moves the verifier past a good piece.
func (v *verifier) join(p *piece) {
	if v.at.seq == 0 {
		v.report.First = p.first.time()
	}
	line := v.at.line
	v.at = p.after
	v.at.line = line + p.lines
	v.vouched.add(p.found.recs...)
	if bad := p.found.unnamed; bad != nil && v.found.unnamed == nil {
		bad.Line += line
		v.found.unnamed = bad
	}
	for _, e := range p.found.seals {
		e.Line += line
		v.found.seals = append(v.found.seals, e)
	}
	v.found.prunes = append(v.found.prunes, p.found.prunes...)
	for _, e := range p.found.signed {
		e.Line += line
		v.found.signed = append(v.found.signed, e)
	}
	v.found.points = append(v.found.points, p.found.points...)
	v.report.Gaps = append(v.report.Gaps, p.gaps...)
}

// inOrder walks from here to stop. If the very first line is at fault, it reads the piece before
// again too, because the cause may be in it.
func (v *verifier) inOrder(before cursor, stop, end int64) error {
	w := v.walk(end)
	w.stop = stop
	err := w.run()
	var bad *BadEntry
	if errors.As(err, &bad) && bad.Offset == v.at.offset && before.offset < v.at.offset {
		again := walk{r: v.log, end: end, stop: stop, at: before, last: v.anchor.Head}
		err = again.run()
	}
	v.at = w.at
	if errors.Is(err, errTorn) {
		bad := w.bad("has no end")
		switch {
		case end < v.anchor.Size:
			bad.Reason = fmt.Sprintf(
				"the log was cut in the middle of it; the anchor remembers %s in %s",
				Plural(v.anchor.Count, "entry"), Plural(v.anchor.Size, "byte"))
		case w.prev.offset < w.at.offset && v.shifted(w.at.offset):
			bad = w.before()
		}
		err = bad
	}
	if err != nil {
		v.tell()
	}
	return err
}

// shifted reports whether the line at offset is the last one that the anchor remembers, whole, but
// farther on: then bytes were inserted before it.
func (v *verifier) shifted(offset int64) bool {
	line, err := bufio.NewReader(io.NewSectionReader(v.log, offset, MaxLine)).ReadBytes('\n')
	return err == nil && Hash(sha256.Sum256(line[:len(line)-1])) == v.anchor.Head
}

// piece checks the lines that start in the chunk at offset, and returns the buffer for the next
// one.
func (v *verifier) piece(offset, end int64, buf []byte) (piece, []byte) {
	p := piece{from: offset, to: end}
	// The byte before the chunk shows whether a line starts with it.
	lead := min(offset-v.from.offset, 1)
	chunk := min(chunkSize, end-offset)
	buf, err := readRange(v.log, buf[:0], offset-lead, lead+min(chunk+slack, end-offset))
	if err != nil {
		p.err = err
		return p, buf
	}
	skip := 0
	if lead == 1 {
		skip = bytes.IndexByte(buf[:lead+chunk], '\n') + 1
		if skip == 0 { // in the middle of a line longer than the chunk
			p.from, p.to = offset+chunk, offset+chunk
			return p, buf
		}
	}
	p.from = offset - lead + int64(skip)
	if int64(skip) == lead+chunk { // the next line begins with the next chunk
		p.to = p.from
		return p, buf
	}
	// The last line that starts in this chunk ends in a later one.
	for at := int(lead+chunk) - 1; ; {
		if n := bytes.IndexByte(buf[at:], '\n'); n >= 0 {
			buf = buf[:at+n+1]
			break
		}
		have := offset - lead + int64(len(buf))
		if have == end || int64(len(buf)) > lead+chunk+MaxLine {
			return p, buf // torn, or longer than any line
		}
		at = len(buf)
		if buf, p.err = readRange(v.log, buf, have, min(64<<10, end-have)); p.err != nil {
			return p, buf
		}
	}
	p.to = offset - lead + int64(len(buf))
	v.pieceLines(&p, buf[skip:])
	return p, buf
}

func (v *verifier) pieceLines(p *piece, b []byte) {
	c := cursor{offset: p.from}
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n')
		if n >= MaxLine {
			return
		}
		line := b[:n]
		b = b[n+1:]
		if c.line == 0 {
			f, ok := splitLine(line)
			if !ok {
				return
			}
			c.seq, c.head, _ = believe(f)
			p.before, p.first, p.clock = c, stamp(f.time), string(f.kind) == kindClock
		}
		at := c.offset
		f, reason := c.link(line)
		if reason != "" {
			return
		}
		if isGapKind(f.kind) {
			g, err := parseGap(f)
			if err != nil || g.Offset != at || g.Bytes != 0 {
				return
			}
			p.gaps = append(p.gaps, g.Gap)
		}
		v.collect(f, c.head, at, c.line, &p.found)
	}
	p.lines, p.after, p.good = c.line, c, true
}

// believe returns what a line itself says about the entry before it.
func believe(f fields) (seq int64, prev Hash, ok bool) {
	prev, ok = parseHash(f.prev)
	return f.seq, prev, ok
}

// readRange appends n bytes of r to buf.
func readRange(r io.ReaderAt, buf []byte, offset, n int64) ([]byte, error) {
	at := len(buf)
	if int64(cap(buf)-at) < n {
		grown := make([]byte, at, int64(at)+n+64<<10)
		copy(grown, buf)
		buf = grown
	}
	buf = buf[:int64(at)+n]
	if _, err := r.ReadAt(buf[at:], offset); err != nil {
		return buf[:at], fmt.Errorf("reading the log at byte %d: %w", offset, err)
	}
	return buf, nil
}
