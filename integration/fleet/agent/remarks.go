package agent

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/approval/plan"
)

// maxWhy is how much of a mistake the machine says, in bytes.
const maxWhy = 200

// maxRemarks is how many things of one kind a machine says.
const maxRemarks = 64

// remarks are things that the machine says of itself or of others, by what they are about.
type remarks struct {
	sync.Mutex
	all map[string]plan.Fields
}

// note remembers what is to be said; nil for nothing any more. It reports whether that is new.
func (r *remarks) note(about string, f plan.Fields) bool {
	r.Lock()
	defer r.Unlock()
	was, known := r.all[about]
	if f == nil {
		delete(r.all, about)
		return known
	}
	if r.all == nil {
		r.all = map[string]plan.Fields{}
	}
	r.all[about] = f
	return !known || !maps.EqualFunc(was, f, func(a, b any) bool { return a == b })
}

// of is what is said about something; nil if nothing is.
func (r *remarks) of(about string) plan.Fields {
	r.Lock()
	defer r.Unlock()
	return r.all[about]
}

// brief is the beginning of a mistake. It may quote any bytes.
func brief(err error) string { return briefly(err.Error()) }

func briefly(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxWhy)], "?")
}

func (r *remarks) list() (list []any) {
	r.Lock()
	defer r.Unlock()
	for _, about := range slices.Sorted(maps.Keys(r.all)) {
		list = append(list, map[string]any(r.all[about]))
	}
	return list[:min(len(list), maxRemarks)]
}
