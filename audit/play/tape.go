package play

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

	film  *film
	scout *scout // or nil
	waits bool   // for the scout, which is on its way to where the tape should go

	end bool
	err error // why nothing can follow; a *audit.BadEntry or an error of the file
}

func newTape(src io.ReadSeeker, live func() bool, marks []time.Duration) (*tape, error) {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	r, err := audit.NewReader("transcript", src)
	if err != nil {
		return nil, err
	}
	t := &tape{src: src, live: live, reader: r, stage: newStage(r.Header)}
	t.film = newFilm(r.Position(), t.stage, marks)
	return t, nil
}

// send sends a scout ahead, if the transcript can be read twice at the same time.
func (t *tape) send() {
	if t.scout = newScout(t.src, t.film); t.scout != nil {
		go t.scout.run()
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
	t.film.keepIfDue(t.reader.Position(), t.at, t.stage)
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
		t.stage.show(e)
		if e.Code == audit.CodeMark {
			t.film.mark(e.Time)
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
	t.reader.Free()
	t.reader, t.stage, t.at = r, k.stage.wake(), k.at
	t.have, t.end, t.err = false, false, nil
	return nil
}

// goTo goes to the best keyframe for a moment, unless the tape is already between the two.
func (t *tape) goTo(m moment) error {
	return t.approach(func(p place) bool { return m.before(p.moment) })
}

// goToTime is goTo for the moment after everything that happened until at.
func (t *tape) goToTime(at time.Duration) error {
	return t.approach(func(p place) bool { return p.at > at })
}

// approach goes to the last keyframe that is not beyond a goal, unless the tape is already between
// the two. If the scout is on its way from there to the goal, waits is set: what it does is not to
// be done twice.
func (t *tape) approach(beyond func(place) bool) error {
	k, scout, soon := t.film.last(beyond)
	here := place{t.moment(), t.at}
	t.waits = soon && !scout.before(here.moment)
	if !here.before(k.place().moment) && !beyond(here) {
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
	t.reader.Free()
	t.reader, t.end = r, false
	return t.peek()
}
