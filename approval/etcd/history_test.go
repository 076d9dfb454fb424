package etcd

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
)

// An operation is what one worker did to a question.
type operation struct {
	ID         string
	Kind       string
	Question   int
	Envelope   string // of ask
	Start, End int64
	Out        string // a code; "ok"; "" if no one knows what came of it

	envelope approval.Envelope
}

// monotonic is the clock that all processes share.
func monotonic() int64 {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &at); err != nil {
		panic(err)
	}
	return at.Nano()
}

// A history has the operations of all processes.
type history struct {
	testing.TB
	mu  sync.Mutex
	all map[string]operation
}

// add takes the second line of an operation in place of its first.
func (h *history) add(op operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all[op.ID] = op
}

// The states of a question.
const (
	none = iota
	pending
	approved
	consumed
)

// model is one question as it is on a single machine. An operation of which no one knows what came
// of it ends after all others, so it has its effect at any time or, at the end, none.
var model = porcupine.Model{
	Init: func() any { return none },
	Step: func(state, input, output any) (bool, any) {
		s := state.(int)
		switch in, out := input.(string), output.(string); in + " " + out {
		case "ask ok":
			return s == none, pending
		case "ask ":
			return true, max(s, pending)
		case "decide ok":
			return s == pending, approved
		case "decide ":
			if s == pending {
				return true, approved
			}
			return true, s
		case "decide decided":
			return s == approved, s
		case "decide replayed", "consume replayed":
			return s == consumed, s
		case "consume ok":
			return s == approved, consumed
		case "consume ":
			if s == approved {
				return true, consumed
			}
			return true, s
		case "consume pending":
			return s == pending, s
		case "consume unknown":
			return s == none, s
		case "get pending":
			return s == pending, s
		case "get approved":
			return s == approved, s
		case "get consumed":
			return s == consumed, s
		}
		return false, s
	},
}

// check reads what became of every question, and compares all histories with the model. It reports
// whether they are enough to prove something.
func (h *history) check(b *bed) bool {
	s, err := approval.Open(b.db(nil), floodOptions(0))
	if err != nil {
		h.Fatal(err)
	}
	questions := map[int][]porcupine.Operation{}
	counts := map[string]int{}
	end := monotonic()
	// Of what no one knows the end of, the first of each kind is enough: it may have its effect
	// whenever a later one may, and its effect is had once. With all, the search may have no end.
	type unsure struct {
		question int
		kind     string
	}
	begun := map[unsure]bool{}
	all := slices.SortedFunc(maps.Values(h.all),
		func(a, b operation) int { return cmp.Compare(a.Start, b.Start) })
	for _, op := range all {
		counts[op.Kind+" "+op.Out]++
		x := porcupine.Operation{Input: op.Kind, Output: op.Out, Call: op.Start, Return: op.End}
		if op.Out == "" {
			x.Return = end + int64(time.Hour)
		}
		if is := (unsure{op.Question, op.Kind}); op.Out != "" || !begun[is] {
			begun[is] = begun[is] || op.Out == ""
			questions[op.Question] = append(questions[op.Question], x)
		}
		if op.Envelope == "" {
			continue
		}
		e, err := s.Get(ctx, op.Envelope)
		if err != nil {
			h.Errorf("question %d is lost: %v", op.Question, err)
			continue
		}
		out := string(e.State)
		if e.State == approval.Pending && e.Approved() {
			out = "approved"
		}
		at := monotonic()
		questions[op.Question] = append(questions[op.Question],
			porcupine.Operation{Input: "get", Output: out, Call: at, Return: at + 1})
	}
	for q, ops := range questions {
		if !porcupine.CheckOperations(model, ops) {
			slices.SortFunc(ops, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
			h.Errorf("question %d has an impossible history:\n%v", q, ops)
		}
	}
	h.Log(counts)
	return counts["consume ok"] >= 10 && counts["ask ok"] >= 20
}
