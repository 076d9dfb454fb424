// Package runs puts the runs of a log together from its entries, for programs outside that search a
// record: what each was, what was decided about it and how it ended.
//
// It reads entries and proves nothing. What an entry says in an unexpected way is as if it were not
// said: whoever owns a machine may write anything into the log of it.
package runs

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// A Run is what the entries about one run say, so far.
type Run struct {
	ID    string
	Began time.Time
	State string // announced, refused, running, failed, ended or lost
	Asked
	Judged
	Ended
	Hosts []string // that it contacted or tried to, sorted
}

// Asked is what was to be run.
type Asked struct {
	Agent, Workspace string
	Command          string // as recorded: secrets are hidden
	Inside           string // the agent's own command, if its program put another one around it
}

// Judged is what was decided.
type Judged struct {
	Verdict string
	Rules   []string
	Bundles []string // of the fleet, which were in force: NAME@VERSION
}

// Ended is how it ended.
type Ended struct {
	Status  *int32   // nil: it did not run, goes on, or that is not known
	Micros  *int64   // how long it took
	Changes *Changes // nil: none, or not known
}

// Changes counts the files that it changed.
type Changes struct{ Added, Changed, Removed int64 }

// An Open is the runs of a log that have not ended, by id.
type Open map[string]*Run

// stateAfter is the state of a run after an entry of a kind, "" if that is about no run.
func stateAfter(kind string) string {
	switch kind {
	case audit.KindIntent:
		return "announced"
	case audit.KindDenied:
		return "refused"
	case audit.KindStart, audit.KindLeft:
		return "running"
	case audit.KindFailed:
		return "failed"
	case audit.KindEnd:
		return "ended"
	case audit.KindOrphan:
		return "lost"
	}
	return ""
}

// kindTraffic is the kind of an entry about connections, made while a run goes on.
const kindTraffic = "net.traffic"

// body is what is read of an entry.
type body struct {
	SID, Agent, Cwd, Command, Inside, Verdict string

	Rules, Policies []string
	Status, Changes json.RawMessage
	Micros          json.RawMessage `json:"duration_us"`
	Connections     []connection
}

// known is a value if it is one of its kind.
func known[T any](text json.RawMessage) *T {
	var v *T
	if json.Unmarshal(text, &v) != nil {
		return nil
	}
	return v
}

type connection struct{ Host, Address string }

// Add takes the next entry of the log. It returns the run that the entry is about, nil if it is
// about none that began in the entries so far. A run that is over is forgotten, unless only its
// launcher was lost: it may still go on.
func (o Open) Add(e audit.Entry) *Run {
	state := stateAfter(e.Kind)
	if state == "" && e.Kind != kindTraffic {
		return nil
	}
	var b body
	var other *json.UnmarshalTypeError
	err := json.Unmarshal(e.Body, &b)
	if err != nil && !errors.As(err, &other) || b.SID == "" {
		return nil
	}
	if e.Kind == audit.KindIntent {
		o[b.SID] = &Run{ID: b.SID, Began: e.Time, State: state,
			Asked:  Asked{b.Agent, b.Cwd, b.Command, b.Inside},
			Judged: Judged{b.Verdict, b.Rules, b.Policies}}
		return o[b.SID]
	}
	r := o[b.SID]
	if r == nil {
		return nil
	}
	r.add(e.Kind, b, e.Body)
	switch e.Kind {
	case audit.KindEnd, audit.KindDenied, audit.KindFailed:
		delete(o, b.SID)
	}
	return r
}

// add adds what a later entry says.
func (r *Run) add(kind string, b body, text []byte) {
	list := b.Connections
	if kind != kindTraffic {
		r.State = stateAfter(kind)
	}
	if kind == audit.KindEnd {
		var at struct {
			Network struct{ Connections []connection }
		}
		_ = json.Unmarshal(text, &at) // of another kind of value: none
		list = at.Network.Connections
		r.Ended = Ended{known[int32](b.Status), known[int64](b.Micros), known[Changes](b.Changes)}
	}
	for _, c := range list {
		host := c.Host
		if host == "" {
			host = c.Address
		}
		if i, have := slices.BinarySearch(r.Hosts, host); !have && host != "" {
			r.Hosts = slices.Insert(r.Hosts, i, host)
		}
	}
}

// Oldest returns them in the order in which they began.
func (o Open) Oldest() []*Run {
	return slices.SortedFunc(maps.Values(o), func(a, b *Run) int {
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.ID, b.ID))
	})
}
