package play

import (
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tada-run/tada-run/audit"
)

// A job is something that takes longer than a tick. It does about n bytes of work and reports
// whether it is done.
type job interface {
	step(p *Player, budget int) (done bool)
}

// endOfTime is later than every event.
const endOfTime = time.Duration(math.MaxInt64)

// toTime plays everything up to a time.
type toTime struct {
	at      time.Duration
	started bool
}

func (j *toTime) step(p *Player, budget int) bool {
	t := p.tape
	if !j.started {
		if err := t.goToTime(j.at); err != nil {
			t.err = err
			return true
		}
		if p.pos = t.at; t.waits {
			return false
		}
		j.started = true
	}
	for budget > 0 {
		if !t.peek() {
			p.pos = t.at
			return true
		}
		if t.event.Time > j.at {
			p.pos = j.at
			return true
		}
		budget -= t.draw(whole)
	}
	p.pos = t.at
	return false
}

// toMoment plays everything up to a moment.
type toMoment struct {
	to      moment
	message string
	started bool
}

func (j *toMoment) step(p *Player, budget int) bool {
	t := p.tape
	if !j.started {
		if err := t.goTo(j.to); err != nil {
			t.err = err
			return true
		}
		if p.pos = t.at; t.waits {
			return false
		}
		j.started = true
	}
	for budget > 0 {
		if !t.moment().before(j.to) || !t.peek() || !t.moment().before(j.to) {
			p.pos, p.message = t.at, j.message
			return true
		}
		n := whole
		if t.event.Seq == j.to.seq {
			n = j.to.off - t.drawn
		}
		budget -= t.draw(n)
	}
	p.pos = t.at
	return false
}

// A goal is what is searched for on the tape.
type goal struct {
	name  string
	lines bool // look after each line of output, not after each event
	// start is called where the search begins: what is already there is not found.
	start func(*stage)
	// found is called after each piece, with its event.
	found func(*stage, audit.Event) bool
}

// A search is a job that searches for a goal.
type search interface {
	job
	from() (origin moment, started bool)
	what() string
}

func (g goal) what() string { return g.name }

func (j *forward) from() (moment, bool)  { return j.origin, j.started }
func (j *backward) from() (moment, bool) { return j.origin, j.started }

// forward searches for a goal after the present moment. until is a time at which something that is
// not on the tape would be found.
type forward struct {
	goal
	until   time.Duration
	label   string
	origin  moment
	started bool
}

func (j *forward) step(p *Player, budget int) bool {
	t := p.tape
	if !j.started {
		j.origin, j.started = t.moment(), true
		j.start(t.stage)
	}
	for budget > 0 {
		if !t.peek() {
			if j.until < endOfTime {
				p.pos, p.message = max(t.at, j.until), j.label
				return true
			}
			p.job = &toMoment{to: j.origin, message: "not found from here on: " + j.name}
			return false
		}
		if t.event.Time > j.until {
			p.pos, p.message = j.until, j.label
			return true
		}
		n := whole
		if j.lines {
			n = t.line()
		}
		e := t.event
		budget -= t.draw(n)
		if j.found(t.stage, e) {
			p.pos, p.message = t.at, ""
			return true
		}
	}
	p.pos = t.at
	return false
}

// backward searches for the last place before the present moment. It searches the stretch after
// each keyframe, from the last one back, and goes to the last place in the first stretch that has
// one.
type backward struct {
	goal
	since   time.Duration // what is after it does not count; 0: the present moment
	before  Mark          // something that is not on the tape, if there is something
	origin  moment
	begins  moment // of the stretch
	limit   moment // of the stretch
	best    moment
	bestAt  time.Duration
	some    bool
	started bool
}

func (j *backward) step(p *Player, budget int) bool {
	t := p.tape
	if !j.started {
		j.started, j.origin = true, t.moment()
		j.scan(p, j.origin)
	}
	for budget > 0 && t.err == nil {
		if !t.moment().before(j.limit) || !t.peek() {
			if j.some || j.begins == (moment{}) {
				return j.finish(p)
			}
			j.scan(p, j.begins)
			continue
		}
		n := whole
		if j.lines {
			n = t.line()
		}
		e := t.event
		budget -= t.draw(n)
		here := t.moment()
		if j.found(t.stage, e) && here.before(j.origin) && (j.since == 0 || e.Time < j.since) {
			j.best, j.bestAt, j.some = here, e.Time, true
		}
	}
	return t.err != nil
}

// scan begins the stretch that ends at a moment.
func (j *backward) scan(p *Player, end moment) {
	k, _, _ := p.tape.film.last(func(p place) bool { return !p.before(end) })
	j.begins, j.limit = k.place().moment, end
	if p.tape.err = p.tape.restore(k); p.tape.err == nil {
		j.start(p.tape.stage)
	}
}

func (j *backward) finish(p *Player) bool {
	switch {
	case j.before.Label != "" && (!j.some || j.bestAt < j.before.At):
		p.job = &toTime{at: j.before.At}
		p.message = j.before.Label
	case j.some:
		p.job = &toMoment{to: j.best}
	default:
		p.job = &toMoment{to: j.origin, message: "not found before: " + j.name}
	}
	return false
}

// A query is text that is searched for on the screen.
type query struct{ text string }

// in returns where the text is in a row, in bytes. As in less, a lower-case letter matches both
// cases.
func (q query) in(row string) (at int) {
	if strings.IndexFunc(q.text, unicode.IsUpper) < 0 {
		// Folded rune by rune, so that positions in the copy are those in the row.
		row = strings.Map(folded, row)
	}
	return strings.Index(row, q.text)
}

// folded returns the lower-case letter of r, if it is as long.
func folded(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
		return l
	}
	return r
}

func (q query) goal() goal {
	match := func(row string) bool { return q.in(row) >= 0 }
	return goal{
		name: q.text, lines: true,
		start: func(s *stage) { s.screen.Look(match) },
		found: func(s *stage, _ audit.Event) bool { return s.screen.Appeared(match) },
	}
}

// marks and pictures are the other goals.
func marks() goal {
	return goal{
		name:  "another mark",
		start: func(*stage) {},
		found: func(_ *stage, e audit.Event) bool { return e.Code == audit.CodeMark },
	}
}

func pictures() goal {
	return goal{
		name:  "another frame",
		start: func(*stage) {},
		found: func(_ *stage, e audit.Event) bool {
			return isOutput(e.Code) || e.Code == audit.CodeResize
		},
	}
}
