package play

import (
	"errors"
	"io"
	"slices"
	"time"
	"unicode"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/screen"
)

// Settings say how a session is shown. The zero value shows it at its own speed.
type Settings struct {
	Speed  float64       // 2 is twice as fast; 0 means 1
	Idle   time.Duration // longest pause; 0 means none is cut short
	From   time.Duration // begin there
	Follow bool          // begin at the end, and show what comes as it comes
	Title  string        // name of the session below the screen
	Proof  string        // the state of its proof, in a word or two
	Marks  []Mark        // places that are not in the transcript itself
	// Live, if set, reports whether more may still be written. It is called only at the end of what
	// there is.
	Live func() bool
}

// A Player is a session being shown: keys and times in, pictures out. It must not be used by
// several goroutines.
type Player struct {
	tape  *tape
	set   Settings
	total time.Duration // as far as is known
	now   time.Duration // of the last tick
	pos   time.Duration // in the session

	speed   float64
	idle    bool
	paused  bool
	follow  bool
	help    bool
	quit    bool
	started bool
	job     job
	prompt  *prompt
	query   query
	message string
}

// A prompt is text being typed.
type prompt struct{ text []rune }

// New opens a player at the start of a transcript; Close must be called at its end. The error is a
// *audit.BadEntry if not even its header can be read.
func New(src io.ReadSeeker, s Settings) (*Player, error) {
	total, size := lastTime(src)
	t, err := newTape(src, s.Live, markTimes(src))
	if err != nil {
		return nil, err
	}
	if size >= scoutLeast && !s.Follow { // who follows is at the end before a scout is
		t.send()
	}
	if s.Speed <= 0 {
		s.Speed = 1
	}
	s.Marks = slices.Clone(s.Marks)
	slices.SortStableFunc(s.Marks, func(a, b Mark) int { return int(max(-1, min(1, a.At-b.At))) })
	p := &Player{tape: t, set: s, total: total, speed: s.Speed, idle: s.Idle > 0, follow: s.Follow}
	if s.From > 0 {
		p.job = &toTime{at: s.From}
	}
	return p, nil
}

const (
	tickBytes   = 128 << 10 // shown in one tick: more only shows later
	jobBytes    = 512 << 10 // processed in one tick, before looking at keys
	clockEvery  = 200 * time.Millisecond
	followEvery = 50 * time.Millisecond
	waitEvery   = 10 * time.Millisecond // for the scout
)

// Tick advances the session to the caller's time now, which never goes back. It works for some
// milliseconds at most.
func (p *Player) Tick(now time.Duration) {
	passed := max(0, now-p.now)
	if p.now = now; !p.started {
		passed, p.started = 0, true
	}
	switch {
	case p.quit:
	case p.job != nil:
		p.tape.waits = false
		for j, budget := p.job, jobBytes; ; j, budget = p.job, budget/2 {
			if done := j.step(p, budget); done {
				p.job = nil
			}
			if p.job == nil || p.job == j {
				break
			}
		}
	case p.follow:
		p.followOn()
	case !p.paused:
		p.pos += time.Duration(float64(passed) * p.speed)
		p.playOn()
	}
	p.total = max(p.total, p.tape.at)
}

// playOn shows what is due at pos.
func (p *Player) playOn() {
	t := p.tape
	for budget := tickBytes; ; {
		if !t.peek() && !t.more() {
			if p.pos = min(p.pos, max(t.at, p.lastMark())); t.live == nil {
				p.paused = true
			}
			return
		}
		if p.idle && t.event.Time > p.pos && p.pos-t.at >= p.set.Idle {
			p.pos = t.event.Time
		}
		if t.event.Time > p.pos {
			return
		}
		if budget <= 0 { // more than can be shown: the session waits
			p.pos = t.at
			return
		}
		budget -= t.draw(whole)
	}
}

func (p *Player) lastMark() time.Duration {
	if n := len(p.set.Marks); n > 0 {
		return p.set.Marks[n-1].At
	}
	return 0
}

// followOn shows everything there is.
func (p *Player) followOn() {
	for budget := jobBytes; budget > 0; {
		if !p.tape.peek() && !p.tape.more() {
			break
		}
		budget -= p.tape.draw(whole)
	}
	if p.pos = p.tape.at; p.tape.end && p.tape.live == nil {
		p.follow, p.paused = false, true
	}
}

// Due returns how long after the last tick the picture stays the same, unless a key comes; negative
// means forever.
func (p *Player) Due() time.Duration {
	t := p.tape
	switch {
	case p.job != nil && p.tape.waits:
		return waitEvery
	case p.job != nil:
		return 0
	case p.follow:
		if !t.end {
			return 0
		}
		return followEvery
	case p.paused || p.quit:
		return -1
	}
	if !t.peek() {
		if t.live == nil {
			return 0 // to notice the end
		}
		return followEvery
	}
	wait := t.event.Time - p.pos
	if p.idle {
		wait = min(wait, max(0, p.set.Idle-(p.pos-t.at)))
	}
	return max(0, min(time.Duration(float64(wait)/p.speed), clockEvery))
}

// Close ends what goes on beside the player; it is not to be used any more, and the transcript may
// be closed.
func (p *Player) Close() {
	if p.tape.scout != nil {
		p.tape.scout.close()
		p.tape.scout = nil
	}
}

// Done reports whether the viewer has left.
func (p *Player) Done() bool { return p.quit }

// Err returns why the session could not be shown to its end: a *audit.BadEntry for the first event
// that is not proven, or an error of the file.
func (p *Player) Err() error { return p.tape.err }

// Screen returns the current model, for reading.
func (p *Player) Screen() *screen.Screen { return p.tape.stage.screen }

// Position returns the time in the session.
func (p *Player) Position() time.Duration { return p.pos }

// Key takes one key of the viewer, spelled as in the help: a character, or a name like "left".
// Unknown keys do nothing.
func (p *Player) Key(name string) {
	if p.prompt != nil {
		p.typed(name)
		return
	}
	if p.help {
		p.help = false
		if !p.leaves(name) {
			return
		}
	}
	b, known := bound()[name]
	if !known {
		return
	}
	// A key ends a long operation. A search leaves no trace.
	if s, ok := p.job.(search); ok && !p.leaves(name) {
		p.job, p.message = nil, ""
		if from, started := s.from(); started {
			p.job = &toMoment{to: from, message: "ended: " + s.what()}
		}
		return
	}
	p.job, p.message = nil, ""
	b.do(p)
}

func (p *Player) leaves(key string) bool { return key == "q" || key == "ctrl-c" }

// maxQuery is how many characters are searched for.
const maxQuery = 200

// typed takes a key for the prompt.
func (p *Player) typed(name string) {
	q := p.prompt
	r := []rune(name)
	switch {
	case name == "enter":
		p.prompt = nil
		if len(q.text) > 0 {
			p.query = query{string(q.text)}
		}
		p.search(false)
	case name == "esc", name == "ctrl-c", name == "backspace" && len(q.text) == 0:
		p.prompt = nil
	case name == "backspace":
		q.text = q.text[:len(q.text)-1]
	case name == "space":
		q.text = append(q.text, ' ')
	case len(r) == 1 && unicode.IsPrint(r[0]) && len(q.text) < maxQuery:
		q.text = append(q.text, r[0])
	}
}

func (p *Player) search(back bool) {
	if p.query.text == "" {
		p.message = "no search text; press / to enter one"
		return
	}
	p.paused, p.follow = true, false
	if back {
		p.job = &backward{goal: p.query.goal()}
	} else {
		p.job = &forward{goal: p.query.goal(), until: endOfTime}
	}
}

func (p *Player) seek(to time.Duration) {
	p.follow = false
	p.job = &toTime{at: max(0, to)}
}

// nextMark and previousMark search the tape and the marks that were given.
func (p *Player) nextMark() {
	p.follow = false
	j := &forward{goal: marks(), until: endOfTime}
	for _, m := range p.set.Marks {
		if m.At > p.pos {
			j.until, j.label = m.At, m.Label
			break
		}
	}
	p.job = j
}

func (p *Player) previousMark() {
	p.follow = false
	// While it plays, the second in which the key is pressed again does not count.
	before := p.pos
	if !p.paused {
		before -= time.Second
	}
	j := &backward{goal: marks(), since: before}
	if before <= 0 {
		p.job = &toTime{}
		return
	}
	for _, m := range p.set.Marks {
		if m.At < before {
			j.before = m
		}
	}
	p.job = j
}

func (p *Player) frame(back bool) {
	p.paused, p.follow = true, false
	if back {
		p.job = &backward{goal: pictures()}
	} else {
		p.job = &forward{goal: pictures(), until: endOfTime}
	}
}

// problem says in one line why the session ends here.
func (p *Player) problem() string {
	var bad *audit.BadEntry
	switch {
	case p.tape.err == nil:
		return ""
	case errors.As(p.tape.err, &bad) && bad.Torn:
		return "the record ends in the middle of an event, as after a crash"
	case errors.As(p.tape.err, &bad):
		return "NOT PROVEN from here: " + bad.Error()
	}
	return p.tape.err.Error()
}
