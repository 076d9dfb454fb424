package agent

import (
	"errors"
	"maps"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/tada-run/tada-run/approval"
)

// A story has what was done to one question, from before it was begun until what came of it was
// known.
type story struct {
	mu  sync.Mutex
	all []porcupine.Operation
}

var began = time.Now()

// add does something and adds it. What nobody knows the end of ends after all else: it may have its
// effect at any time or, at the end, none.
func (h *story) add(what string, do func() error) error {
	call := time.Since(began)
	err := do()
	op := porcupine.Operation{Input: what, Output: "", Call: int64(call), Return: math.MaxInt64}
	for out, is := range map[string]error{"replayed": approval.ErrReplayed,
		"pending": approval.ErrPending} {
		if errors.Is(err, is) {
			op.Output = out
		}
	}
	if err == nil {
		op.Output = "ok"
	}
	if op.Output != "" {
		op.Return = int64(time.Since(began))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, op)
	return err
}

// The states of a question.
const (
	unasked = iota
	open
	approved
	used
)

// model is a question as it is on a single machine: asked again it is the same one.
var model = porcupine.Model{
	Init: func() any { return unasked },
	Step: func(state, input, output any) (bool, any) {
		s := state.(int)
		switch input.(string) + " " + output.(string) {
		case "ask ok":
			return s <= open, open
		case "ask ":
			return true, max(s, open)
		case "answer ok":
			return s == open, approved
		case "answer ":
			if s == open {
				s = approved
			}
			return true, s
		case "use ok":
			return s == approved, used
		case "use ":
			if s == approved {
				s = used
			}
			return true, s
		case "use replayed":
			return s == used, s
		case "use pending":
			return s == open, s
		}
		return false, s
	},
}

// possible reports whether a single machine could have had the story. Of what nobody knows the end
// of, the first of each kind is enough: it may have its effect whenever a later one may, and its
// effect is had once. With all of them the search would have no end.
func (h *story) possible() bool {
	var all []porcupine.Operation
	first := map[any]porcupine.Operation{}
	for _, op := range h.all {
		if op.Output != "" {
			all = append(all, op)
		} else if was, ok := first[op.Input]; !ok || op.Call < was.Call {
			first[op.Input] = op
		}
	}
	return porcupine.CheckOperations(model, slices.AppendSeq(all, maps.Values(first)))
}

// A use before an answer, and a second use, are impossible; what nobody knows the end of is not.
func TestStory(t *testing.T) {
	offline := approval.ErrOffline
	for _, x := range []struct {
		steps []string
		ends  []error
		want  bool
	}{
		{[]string{"ask", "answer", "use", "use"},
			[]error{nil, nil, nil, approval.ErrReplayed}, true},
		{[]string{"ask", "answer", "use"}, []error{nil, offline, nil}, true},
		{[]string{"ask", "use", "answer", "use"},
			[]error{offline, approval.ErrPending, nil, nil}, true},
		{[]string{"ask", "use"}, []error{nil, nil}, false},
		{[]string{"ask", "answer", "use", "use"}, []error{nil, nil, nil, nil}, false},
		{[]string{"ask", "answer", "use"}, []error{nil, nil, approval.ErrReplayed}, false},
	} {
		var s story
		for i, step := range x.steps {
			_ = s.add(step, func() error { return x.ends[i] })
		}
		if s.possible() != x.want {
			t.Errorf("%v with %v: possible %t", x.steps, x.ends, !x.want)
		}
	}
}
