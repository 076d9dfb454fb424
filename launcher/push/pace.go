package push

import (
	"slices"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// A Question is an open one. Text returns all that is sent of it.
type Question struct {
	ID    string
	Until time.Time
	Text  func() string
}

const (
	// perMinute is how many messages a device receives in a minute, at most.
	perMinute = 5
	// settle is how long a question waits before it is sent: a person who sits at the terminal
	// answers sooner, and needs no message.
	settle = 5 * time.Second
)

// A pace is what was sent, so that a burst of questions does not become one of messages.
type pace struct {
	settle time.Duration
	sent   []time.Time          // of the last minute
	since  map[string]time.Time // when each open question was first seen
	told   map[string]bool
	held   bool // more questions came than could be sent
}

// next returns what to send now for the questions that are open, and when to ask again; the zero
// time if that is when they change.
func (p *pace) next(now time.Time, open []Question) (list []message, again time.Time) {
	p.sent = slices.DeleteFunc(p.sent, func(at time.Time) bool {
		return now.Sub(at) >= time.Minute || now.Before(at) // or the clock was set back
	})
	waiting, again := p.waiting(now, open)
	for len(waiting) > 0 {
		if len(p.sent) >= perMinute {
			p.held = true
			return list, p.sent[0].Add(time.Minute)
		}
		p.sent = append(p.sent, now)
		if p.held && len(waiting) > 1 {
			list = append(list, summary(len(open), waiting))
			for _, q := range waiting {
				p.told[q.ID] = true
			}
			break
		}
		q := waiting[0]
		list, waiting = append(list, message{text: q.Text(), until: q.Until}), waiting[1:]
		p.told[q.ID] = true
	}
	p.held = false
	return list, again
}

// waiting returns the questions to be sent, and when there will be another one.
func (p *pace) waiting(now time.Time, open []Question) (list []Question, again time.Time) {
	since, told := map[string]time.Time{}, map[string]bool{}
	for _, q := range open {
		first, seen := p.since[q.ID]
		if !seen || now.Before(first) {
			first = now
		}
		since[q.ID] = first
		ripe := first.Add(p.settle)
		switch {
		case p.told[q.ID]:
			told[q.ID] = true
		case !now.Before(q.Until):
		case now.Before(ripe):
			if again.IsZero() || ripe.Before(again) {
				again = ripe
			}
		default:
			list = append(list, q)
		}
	}
	p.since, p.told = since, told
	return list, again
}

// summary is one message for many questions.
func summary(open int, waiting []Question) message {
	m := message{text: audit.Plural(open, "question") + " wait", topic: "waiting"}
	for _, q := range waiting {
		if q.Until.After(m.until) {
			m.until = q.Until
		}
	}
	return m
}
