package play

import (
	"io"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// A scout plays a long transcript ahead of the person, and leaves keyframes and marks on the film.
// It has a reader and a stage of its own. It proves what it plays, as the tape does, and ends
// without a word at the first event that is not proven: the tape finds that event too.
type scout struct {
	film   *film
	src    io.Closer
	reader *audit.Reader
	stage  *stage
	at     time.Duration
	stop   chan struct{} // closed to end it
	ended  chan struct{} // closed when it has
}

// scoutLeast is the length of a transcript from which on there is a scout: a shorter one is played
// in no time.
const scoutLeast = 4 << 20

// scoutStep is how much a scout plays between two looks at whether it should end.
const scoutStep = 64 << 10

// newScout returns a scout that is at the start; nil if the transcript cannot be read twice at the
// same time, or not at all.
func newScout(transcript io.ReadSeeker, f *film) *scout {
	src, err := audit.ReadAgain(transcript)
	if err != nil {
		return nil
	}
	r, err := audit.NewReader("transcript", src)
	if err != nil {
		src.Close()
		return nil
	}
	f.scouted(place{}, true)
	return &scout{film: f, src: src, reader: r, stage: newStage(r.Header),
		stop: make(chan struct{}), ended: make(chan struct{})}
}

// run plays until the end, or until close.
func (s *scout) run() {
	defer close(s.ended)
	for s.step(scoutStep) {
		select {
		case <-s.stop:
			s.film.scouted(s.place(), false)
			return
		default:
		}
	}
}

// close ends a scout that runs, and returns when it has ended.
func (s *scout) close() {
	close(s.stop)
	<-s.ended
	s.src.Close() // it was only read
}

func (s *scout) place() place { return place{moment{seq: s.reader.Position().Events()}, s.at} }

// step plays about n bytes and reports whether there is more.
func (s *scout) step(n int) (more bool) {
	for n > 0 {
		s.film.keepIfDue(s.reader.Position(), s.at, s.stage)
		e, err := s.reader.Next()
		if err != nil {
			s.film.scouted(s.place(), false)
			return false
		}
		s.at = e.Time
		s.stage.show(e)
		if e.Code == audit.CodeMark {
			s.film.mark(e.Time)
		}
		n -= 1 + len(e.Data)
	}
	s.film.scouted(s.place(), true)
	return true
}
