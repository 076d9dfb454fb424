package push

import (
	"slices"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// A Question is an open one. Text is all that is sent of it.
type Question struct {
	ID    string
	Text  string
	Until time.Time
}

// perMinute is how many messages a device receives in a minute, at most.
const perMinute = 5

// A pace is what was sent, so that a burst of questions does not become one of messages.
type pace struct {
	sent []time.Time // of the last minute
	told map[string]bool
	held bool // more questions came than could be sent
}

// next returns what to send now for the questions that are open, and when to ask again; the zero
// time if that is when they change.
func (p *pace) next(now time.Time, open []Question) (list []message, again time.Time) {
	p.sent = slices.DeleteFunc(p.sent, func(at time.Time) bool {
		return now.Sub(at) >= time.Minute || now.Before(at) // or the clock was set back
	})
	told := map[string]bool{}
	var waiting []Question
	for _, q := range open {
		switch {
		case p.told[q.ID]:
			told[q.ID] = true
		case now.Before(q.Until):
			waiting = append(waiting, q)
		}
	}
	p.told = told
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
		list, waiting = append(list, message{text: q.Text, until: q.Until}), waiting[1:]
		p.told[q.ID] = true
	}
	p.held = false
	return list, time.Time{}
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
