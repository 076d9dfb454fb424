package play

import (
	"sort"
	"sync"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// A moment is a place in a transcript: before byte off of event seq.
type moment struct {
	seq int64
	off int
}

func (m moment) before(o moment) bool { return m.seq < o.seq || m.seq == o.seq && m.off < o.off }

// A place is a moment, and the time of the last event before it.
type place struct {
	moment
	at time.Duration
}

// A keyframe is a place to which the tape can return at once.
type keyframe struct {
	pos   audit.Position
	at    time.Duration
	stage still
}

func (k *keyframe) place() place { return place{moment{seq: k.pos.Events()}, k.at} }

const (
	frameBytes  = 1 << 20
	frameTime   = 10 * time.Second
	frameLeast  = 16 << 10 // however much time passed: reading this much takes no time
	frameMemory = 12 << 20
)

// A film is what is known of the parts of a transcript that were played: keyframes and marks. A
// tape and its scout share one.
type film struct {
	mu     sync.Mutex
	frames []keyframe      // in order; the first is the start
	memory int             // memory that they take
	sparse int64           // factor of their least distance
	marks  []time.Duration // in order
	scout  place           // where the scout is
	under  bool            // the scout is under way
}

// newFilm returns a film with the keyframe of the start.
func newFilm(start audit.Position, s *stage, marks []time.Duration) *film {
	f := &film{sparse: 1, marks: marks}
	f.keep(keyframe{start, 0, s.still()})
	return f
}

// keepIfDue makes a keyframe of a place if no one was there before and one is due.
func (f *film) keepIfDue(pos audit.Position, at time.Duration, s *stage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	last := &f.frames[len(f.frames)-1]
	if pos.Events() <= last.pos.Events() {
		return
	}
	n := pos.Offset() - last.pos.Offset()
	if n >= frameBytes*f.sparse || n >= frameLeast*f.sparse &&
		at-last.at >= frameTime*time.Duration(f.sparse) {
		f.keep(keyframe{pos, at, s.still()})
	}
}

// keep adds a keyframe. If they take too much memory, it drops every second one; the start and one
// other may take what they need.
func (f *film) keep(k keyframe) {
	f.frames = append(f.frames, k)
	f.memory += k.stage.bytes()
	if f.memory <= frameMemory || len(f.frames) < 3 {
		return
	}
	kept := f.frames[:0]
	f.memory = 0
	for i, k := range f.frames {
		if i%2 == 0 {
			kept = append(kept, k)
			f.memory += k.stage.bytes()
		}
	}
	clear(f.frames[len(kept):])
	f.frames = kept
	f.sparse *= 2
}

// last returns the last keyframe for which beyond is false; beyond is true from some place on. soon
// reports that the scout, on its way from there or from further on, will leave a better one.
func (f *film) last(beyond func(place) bool) (k keyframe, scout place, soon bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := sort.Search(len(f.frames), func(i int) bool { return beyond(f.frames[i].place()) })
	return f.frames[max(0, i-1)], f.scout, f.under && !beyond(f.scout)
}

// mark adds a mark, if no one was there before.
func (f *film) mark(at time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.marks); n == 0 || at > f.marks[n-1] {
		f.marks = append(f.marks, at)
	}
}

// allMarks returns the marks that are known.
func (f *film) allMarks() []time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.marks // what is there does not change any more
}

// scouted says where the scout is, and whether it goes on.
func (f *film) scouted(at place, under bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scout, f.under = at, under
}
