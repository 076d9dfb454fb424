package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// maxEventLine limits what a reader holds: the longest chunk with every byte escaped, and room for
// the rest of the line.
const maxEventLine = 6*maxChunk + 4096

// An Event is one event of a transcript, with its exact bytes.
type Event struct {
	Seq      int64
	Time     time.Duration // since the start
	Code     byte
	Author   string
	Data     []byte // valid until the next event
	Length   int64  // bytes of the stream that it represents
	Redacted bool   // Data was removed later
}

// Size returns the terminal's new size; ok is false for an event that is no [CodeResize].
func (e Event) Size() (cols, rows int, ok bool) {
	if e.Code != CodeResize {
		return 0, 0, false
	}
	n, err := fmt.Sscanf(string(e.Data), "%dx%d", &cols, &rows)
	return cols, rows, n == 2 && err == nil
}

// A Reader reads a transcript and verifies it at the same time: it returns no event that is not
// proven to follow from the header and the events before.
type Reader struct {
	Header Header

	in    *bufio.Reader
	name  string
	at    Position
	here  Position // before the event read last
	mac   keyed
	event []byte
	text  []byte // of the event, if it is not part of its line
	err   error
}

// NewReader reads the header. The name is only for errors.
func NewReader(name string, r io.Reader) (*Reader, error) {
	t := newReader(name, r)
	line, err := t.readLine()
	if errors.Is(err, io.EOF) {
		return nil, t.bad("the transcript is empty")
	} else if err != nil {
		return nil, t.bad(err.Error())
	}
	if t.Header, err = parseHeader(line); err != nil {
		return nil, t.bad(err.Error())
	}
	t.at.header, t.at.first = t.Header, bytes.Clone(line)
	t.at.sum.Head = sha256.Sum256(line)
	return t, nil
}

func newReader(name string, r io.Reader) *Reader {
	in := buffers.Get().(*bufio.Reader)
	in.Reset(r)
	return &Reader{in: in, name: name}
}

// buffers are those of readers that were freed: each is longer than most transcripts.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, maxEventLine) }}

// Free gives the buffer to the next reader. The reader must not be used any more.
func (t *Reader) Free() {
	t.in.Reset(nil)
	buffers.Put(t.in)
}

var errCut = errors.New("the transcript ends in the middle of it")

func (t *Reader) readLine() ([]byte, error) {
	line, err := t.in.ReadSlice('\n')
	t.at.offset += int64(len(line))
	switch {
	case err == nil:
		t.at.line++
		return line[:len(line)-1], nil
	case errors.Is(err, io.EOF) && len(line) == 0:
		return nil, io.EOF
	case errors.Is(err, io.EOF):
		return nil, errCut
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("line is longer than %d bytes", maxEventLine)
	}
	return nil, err
}

func (t *Reader) bad(reason string) *BadEntry {
	return &BadEntry{File: t.name, Seq: t.at.sum.Count, Line: t.at.line + 1, Offset: t.at.offset,
		Reason: reason}
}

// Next returns the next event. At the end of the transcript the error is io.EOF. For the first
// event that is not proven it is a *BadEntry, with Torn set if only its end is missing.
func (t *Reader) Next() (Event, error) {
	for t.err == nil {
		var l link
		if l, t.err = t.step(); t.err != nil {
			break
		}
		if t.at.shown == l.code && l.length == 0 {
			t.at.shown = 0
			continue
		}
		e := Event{Seq: l.seq, Time: time.Duration(l.us) * time.Microsecond, Code: l.code,
			Author: l.author, Length: l.length, Redacted: l.gone}
		if !l.gone {
			if reason := t.decode(&e); reason != "" {
				t.err = &BadEntry{File: t.name, Seq: e.Seq, Line: t.here.line + 1,
					Offset: t.here.offset, Reason: reason}
				break
			}
		}
		return e, nil
	}
	return Event{}, t.err
}

// step verifies one event and its #t line.
func (t *Reader) step() (link, error) {
	t.here = t.now()
	start := t.bad("")
	fail := func(reason string) (link, error) {
		start.Reason = reason
		return link{}, start
	}
	line, err := t.readLine()
	if errors.Is(err, io.EOF) {
		return link{}, io.EOF
	}
	if err == nil {
		t.event = append(t.event[:0], line...)
		line, err = t.readLine()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, errCut) {
		start.Torn = true
		return fail(errCut.Error())
	}
	if err != nil {
		return fail(err.Error())
	}
	l, ok := parseLink(line)
	switch {
	case !ok:
		return fail("is not followed by its #t line")
	case l.seq != t.at.sum.Count:
		return fail(fmt.Sprintf("is numbered %d, not %d", l.seq, t.at.sum.Count))
	case l.chain == chained(t.at.sum.Head, l.claim):
	case l.seq == 0:
		return fail("its #t line does not follow from the header: one of the two was changed")
	default:
		return fail("its #t line was changed: it does not follow from the one before")
	}
	if reason := t.checkEvent(l); reason != "" {
		return fail(reason)
	}
	t.at.sum.Head, t.at.sum.Duration = l.chain, time.Duration(l.us)*time.Microsecond
	t.at.sum.Count++
	t.at.sum.Bytes += l.length
	return l, nil
}

// checkEvent compares the event line with the commitment in its link. A redacted event has no text,
// so none can be inserted in its place.
func (t *Reader) checkEvent(l link) string {
	us := l.us - t.at.sum.Duration.Microseconds()
	if us < 0 {
		return "its time is before that of the event before"
	}
	if l.gone {
		t.at.sum.Redacted = append(t.at.sum.Redacted, l.seq)
		if !bytes.Equal(t.event, appendEvent(nil, us, l.code, nil)) {
			return "is marked as redacted, but holds text"
		}
		return ""
	}
	if c := t.mac.sum(l.salt[:], t.event); c != l.commit {
		return "was changed: its text does not match the hash recorded with it"
	}
	var buf [64]byte
	if opening := appendOpening(buf[:0], us, l.code); !bytes.HasPrefix(t.event, opening) ||
		!bytes.HasSuffix(t.event[len(opening):], []byte(`"]`)) {
		// a player would show it at another time, or as something else
		return "is not the event that its #t line names"
	}
	return ""
}

// decode fills in the bytes of a proven event, or returns why there are none.
func (t *Reader) decode(e *Event) (reason string) {
	text := t.event[bytes.IndexByte(t.event, ',')+len(`,"c",`) : len(t.event)-1]
	if plain, ok := unescape(t.text[:0], text); ok {
		t.text, e.Data = plain, plain
	} else {
		var s string
		if err := json.Unmarshal(text, &s); err != nil {
			return "is not an event: " + err.Error()
		}
		e.Data = []byte(s)
	}
	if e.Code != CodeBytes {
		return ""
	}
	if len(e.Data) < 2 {
		return "holds no bytes"
	}
	exact, err := base64.StdEncoding.DecodeString(string(e.Data[2:]))
	if err != nil || int64(len(exact)) != e.Length {
		return "does not hold the bytes that it counts"
	}
	e.Code, e.Data = e.Data[0], exact
	t.at.shown = e.Code
	return ""
}

// Summary returns what has been proven so far.
func (t *Reader) Summary() Summary { return t.at.sum }

// Position returns where the next call of Next begins. After an error it is the position of the
// event that could not be read, so that the reader of a transcript that is still being written can
// come back to it.
func (t *Reader) Position() Position {
	if t.err != nil {
		return t.here
	}
	return t.now()
}

func (t *Reader) now() Position {
	p := t.at
	p.sum.Redacted = slices.Clip(p.sum.Redacted) // shared, and so never appended to
	return p
}

// NewReaderAt continues at a position of the same transcript. What follows must prove to follow
// from what was before; r is moved there.
func NewReaderAt(name string, r io.ReadSeeker, p Position) (*Reader, error) {
	if p.first == nil {
		return nil, errors.New("transcript: the position is of no reader")
	}
	if _, err := r.Seek(p.offset, io.SeekStart); err != nil {
		return nil, fmt.Errorf("transcript %q: byte %d: %w", name, p.offset, err)
	}
	t := newReader(name, r)
	t.Header, t.at = p.header, p
	return t, nil
}
