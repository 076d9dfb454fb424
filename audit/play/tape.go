package play

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// A tape is a transcript with a position in it: everything up to there is on the stage.
type tape struct {
	src    io.ReadSeeker
	live   func() bool // more may be written
	reader *audit.Reader
	stage  *stage

	event audit.Event // the next one, drawn up to drawn
	have  bool
	drawn int
	at    time.Duration // of the last event that was drawn

	frames []keyframe // in order; the first is the start
	memory int        // memory that they take
	sparse int64      // factor of their least distance
	since  int64      // bytes of events since one was last due

	marks []time.Duration // of the transcript, in order, as far as they are known

	end bool
	err error // why nothing can follow; a *audit.BadEntry or an error of the file
}

// A moment is a place on the tape: before byte off of event seq.
type moment struct {
	seq int64
	off int
}

func (m moment) before(o moment) bool { return m.seq < o.seq || m.seq == o.seq && m.off < o.off }

// A keyframe is a moment to which the tape can return at once.
type keyframe struct {
	pos   audit.Position
	at    time.Duration
	stage *stage
}

func (k *keyframe) moment() moment { return moment{seq: k.pos.Events()} }

const (
	frameBytes  = 1 << 20
	frameTime   = 10 * time.Second
	frameLeast  = 16 << 10 // however much time passed: reading this much takes no time
	frameMemory = 32 << 20
)

func newTape(src io.ReadSeeker, live func() bool) (*tape, error) {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	r, err := audit.NewReader("transcript", src)
	if err != nil {
		return nil, err
	}
	t := &tape{src: src, live: live, reader: r, stage: newStage(r.Header), sparse: 1}
	t.keep()
	return t, nil
}

// keep makes a keyframe of the present moment, which must be between events.
func (t *tape) keep() {
	k := keyframe{t.reader.Position(), t.at, t.stage.clone()}
	t.frames = append(t.frames, k)
	t.memory += k.stage.screen.Bytes()
	t.since = 0
	if t.memory <= frameMemory || len(t.frames) < 4 {
		return
	}
	kept := t.frames[:0]
	t.memory = 0
	for i, k := range t.frames {
		if i%2 == 0 {
			kept = append(kept, k)
			t.memory += k.stage.screen.Bytes()
		}
	}
	clear(t.frames[len(kept):])
	t.frames = kept
	t.sparse *= 2
}

// keepIfDue makes a keyframe if the tape is here for the first time and one is due.
func (t *tape) keepIfDue() {
	last := &t.frames[len(t.frames)-1]
	pos := t.reader.Position()
	if pos.Events() <= last.pos.Events() {
		return
	}
	n := pos.Offset() - last.pos.Offset()
	if n >= frameBytes*t.sparse || n >= frameLeast*t.sparse &&
		t.at-last.at >= frameTime*time.Duration(t.sparse) {
		t.keep()
	}
}

// moment returns where the tape is.
func (t *tape) moment() moment {
	if t.have {
		return moment{t.event.Seq, t.drawn}
	}
	return moment{seq: t.reader.Position().Events()}
}

// peek reads the next event; false means that there is none, now or ever.
func (t *tape) peek() bool {
	if t.have || t.end {
		return t.have
	}
	t.keepIfDue()
	e, err := t.reader.Next()
	if err == nil {
		t.event, t.have, t.drawn = e, true, 0
		return true
	}
	t.end = true
	var bad *audit.BadEntry
	torn := errors.As(err, &bad) && bad.Torn
	if !errors.Is(err, io.EOF) && (!torn || t.live == nil) {
		t.err = err
	}
	return false
}

// draw shows at most n bytes of the event that peek read; with the last of them the event is past.
// It returns how many it showed, and at least 1, so that a caller can count its work.
func (t *tape) draw(n int) int {
	e := t.event
	t.at = e.Time
	if !isOutput(e.Code) || e.Redacted {
		if isOutput(e.Code) {
			t.stage.remark("redacted, %s", audit.Plural(e.Length, "byte"))
		}
		t.stage.play(e)
		if n := len(t.marks); e.Code == audit.CodeMark && (n == 0 || e.Time > t.marks[n-1]) {
			t.marks = append(t.marks, e.Time)
		}
		t.have = false
		return 1 + len(e.Data)
	}
	part := e.Data[t.drawn:min(len(e.Data), t.drawn+n)]
	t.stage.output(e.Code, part)
	if t.drawn += len(part); t.drawn >= len(e.Data) {
		t.have = false
	}
	return 1 + len(part)
}

// whole is more than any event holds.
const whole = 1 << 30

// line returns how much of the event is left on its current line.
func (t *tape) line() int {
	if !isOutput(t.event.Code) || t.event.Redacted {
		return whole
	}
	if i := bytes.IndexByte(t.event.Data[t.drawn:], '\n'); i >= 0 {
		return i + 1
	}
	return whole
}

// restore goes to a keyframe.
func (t *tape) restore(k keyframe) error {
	r, err := audit.NewReaderAt("transcript", t.src, k.pos)
	if err != nil {
		return err
	}
	t.reader, t.stage, t.at = r, k.stage.clone(), k.at
	t.have, t.end, t.err = false, false, nil
	return nil
}

// frameBefore returns the index of the last keyframe for which after is false.
func (t *tape) frameBefore(after func(*keyframe) bool) int {
	return max(0, sort.Search(len(t.frames), func(i int) bool { return after(&t.frames[i]) })-1)
}

// goTo goes to the best keyframe for a moment, unless the tape is already between the two.
func (t *tape) goTo(m moment) error {
	k := t.frames[t.frameBefore(func(k *keyframe) bool { return m.before(k.moment()) })]
	if here := t.moment(); !here.before(k.moment()) && !m.before(here) {
		return nil
	}
	return t.restore(k)
}

// goToTime is goTo for the moment after everything that happened until at.
func (t *tape) goToTime(at time.Duration) error {
	k := t.frames[t.frameBefore(func(k *keyframe) bool { return k.at > at })]
	if !t.moment().before(k.moment()) && t.at <= at {
		return nil
	}
	return t.restore(k)
}

// more looks for what was written since the end was reached.
func (t *tape) more() bool {
	if !t.end || t.live == nil || t.err != nil {
		return false
	}
	last := !t.live() // asked before: what was written before the end is then read
	pos := t.reader.Position()
	size, err := t.src.Seek(0, io.SeekEnd)
	if err != nil {
		t.err = fmt.Errorf("replay: %w", err)
		return false
	}
	if last {
		t.live = nil
	}
	if size <= pos.Offset() {
		return false
	}
	r, err := audit.NewReaderAt("transcript", t.src, pos)
	if err != nil {
		t.err = err
		return false
	}
	t.reader, t.end = r, false
	return t.peek()
}
