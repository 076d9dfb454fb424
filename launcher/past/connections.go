package past

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
)

// A Connection is something that a run did, or was not let do, with the network, as the record has
// it.
type Connection struct {
	Time    time.Time `json:"time"`
	PID     int       `json:"pid"`
	Program string    `json:"program"`
	Kind    string    `json:"kind"` // tcp, udp, unix, name, listen
	Host    string    `json:"host"`
	Address string    `json:"address"`
	Refused bool      `json:"refused"`
	Why     string    `json:"why,omitempty"`
	Fix     string    `json:"fix,omitempty"`
	Error   string    `json:"error,omitempty"`
	Count   int       `json:"count"`

	// Of one that listens: how many connections to it have ended; -1 where that is not known.
	Accepted int `json:"accepted,omitempty"`

	// Of connections whose end the kernel has reported.
	Sent     *int64 `json:"sent,omitempty"`
	Received *int64 `json:"received,omitempty"`
}

// Result is how a connection ended, in English.
func (c Connection) Result() string {
	switch {
	case c.Refused:
		return "refused: " + c.Why
	case c.Error != "":
		return c.Error
	case c.Sent != nil && c.Received != nil:
		return fmt.Sprintf("sent %d, received %d", *c.Sent, *c.Received)
	}
	return "allowed"
}

// Connections returns what a run did with the network, in order, and how much more there was than
// the log keeps. If the run is still going, or no process saw its end, it returns what was let
// through and refused so far, without the results.
func (p *Reader) Connections(r Run) (list []Connection, more int, err error) {
	list = []Connection{}
	for e, err := range p.About(r) {
		if err != nil && !isBad(err) {
			return nil, 0, err
		}
		if e.Kind != record.KindTraffic && e.Kind != record.KindEnd {
			continue
		}
		var body struct {
			Connections []Connection // of kindTraffic
			Network     struct {
				Connections []Connection
				More        int
			}
		}
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return nil, 0, fmt.Errorf("entry %d of the log: %w", e.Seq, err)
		}
		if e.Kind == record.KindTraffic {
			list = append(list, body.Connections...)
			continue
		}
		// the whole story, of a run that did anything
		return append(list[:0], body.Network.Connections...), body.Network.More, nil
	}
	return list, more, nil
}

// DeniedByUser is why a connection was refused that a person has denied.
const DeniedByUser = "denied by the user"

// A Lesson is one rule that would have allowed what a run was refused.
type Lesson struct {
	Rule     string   `json:"rule"` // an entry of network.allow; "" when none is proposed
	Port     string   `json:"publish,omitempty"`
	Host     string   `json:"host"`
	Why      string   `json:"why"` // it was refused
	Count    int      `json:"count"`
	Programs []string `json:"programs"`
}

// Learn proposes the smallest rules by which the refused connections of a run would have been
// allowed, each once. What leads to the credentials of the machine, or nowhere, gets none.
func Learn(list []Connection) []Lesson {
	lessons := []Lesson{}
	for _, c := range list {
		if !c.Refused {
			continue
		}
		l := Lesson{Rule: c.Fix, Host: c.Host, Why: c.Why, Count: c.Count, Programs: []string{}}
		if port, ok := strings.CutPrefix(c.Fix, "--publish "); ok {
			l.Rule, l.Port = "", port
		}
		if c.Kind == "udp" || strings.Contains(c.Why, "credentials") {
			l.Rule = ""
		}
		i := slices.IndexFunc(lessons,
			func(o Lesson) bool { return o.Rule == l.Rule && o.Port == l.Port && o.Host == l.Host })
		if i < 0 {
			i, lessons = len(lessons), append(lessons, l)
		} else {
			lessons[i].Count += c.Count
		}
		if c.Program != "" && !slices.Contains(lessons[i].Programs, c.Program) {
			lessons[i].Programs = append(lessons[i].Programs, c.Program)
		}
	}
	return lessons
}

// Refused are rules for the connections that runs were refused since a time, without those to hosts
// that a person has denied.
func (p *Reader) Refused(since time.Time) ([]Lesson, error) {
	var all []Connection
	denied := map[string]bool{}
	ends := audit.Filter{Kinds: []string{record.KindEnd}, Since: since}
	_, err := record.Bodies(p, ends, func(_ time.Time, body struct {
		Network struct{ Connections []Connection }
	}) {
		for _, c := range body.Network.Connections {
			denied[c.Host] = denied[c.Host] || c.Why == DeniedByUser
		}
		all = append(all, body.Network.Connections...)
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(Learn(all), func(l Lesson) bool {
		return l.Rule == "" || denied[l.Host]
	}), nil
}
