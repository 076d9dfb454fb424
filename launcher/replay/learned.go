package replay

import (
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/tada-run/tada-run/launcher/past"
)

// Learned are the lessons since a time, with rules for the connections that were refused since: the
// most frequent first.
func (rec Record) Learned(since time.Time) (Lessons, error) {
	lessons, err := rec.Lessons(since)
	if err != nil {
		return Lessons{}, err
	}
	refused, err := rec.Refused(since)
	if err != nil {
		return Lessons{}, err
	}
	lessons.Rules = append(connectionRules(refused), lessons.Rules...)
	slices.SortStableFunc(lessons.Rules, func(a, b Proposal) int { return b.Asked - a.Asked })
	return lessons, nil
}

// connectionRules are rules for connections that were refused.
func connectionRules(refused []past.Lesson) (list []Proposal) {
	for _, l := range refused {
		who := make([]string, len(l.Programs))
		for i, p := range l.Programs {
			who[i] = filepath.Base(p)
		}
		list = append(list, Proposal{Key: "network.allow", Rule: strconv.Quote(l.Rule),
			Asked: l.Count, Examples: who, AtMost: "a connection to " + l.Rule +
				" by any command that uses the network"})
	}
	return list
}
