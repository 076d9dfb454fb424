package past

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
)

// A reading is what has been read of the log, from its end.
type reading struct {
	from    *Reader
	newest  int64                    // where the newest entry begins that was read
	about   map[string][]audit.Entry // by run: newest first, while its beginning is not known
	answers map[string]string        // by question: the state of a request that asked it
	waiting func() map[string]bool   // questions without an answer
	gaps    []audit.Gap
	first   *audit.BadEntry // in the log
}

func (p *Reader) reading() *reading {
	return &reading{from: p, about: map[string][]audit.Entry{}, answers: map[string]string{},
		waiting: sync.OnceValue(p.waiting)}
}

func (h *reading) kinds() []string {
	return []string{"exec.", audit.KindAccept, audit.KindRecover, approval.KindDecided,
		approval.KindRejected, approval.KindExpired, approval.KindGranted}
}

func isBad(err error) bool {
	var bad *audit.BadEntry
	return errors.As(err, &bad)
}

// bad notes a line that is no entry; false for another error.
func (h *reading) bad(err error) bool {
	var bad *audit.BadEntry
	if !errors.As(err, &bad) {
		return false
	}
	if !slices.ContainsFunc(h.gaps, func(g audit.Gap) bool { return g.Holds(bad.Offset) }) {
		h.first = bad
	}
	return true
}

// add takes an entry, and returns the id of a run when that is its first one.
func (h *reading) add(e audit.Entry) (sid string, err error) {
	h.newest = max(h.newest, e.Offset)
	if g, ok := e.Gap(); ok {
		h.gaps = append(h.gaps, g)
		return "", nil
	}
	var body struct {
		SID, Outcome string
		Envelope     string `json:"envelope_id"`
	}
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return "", fmt.Errorf("entry %d of the log: %w", e.Seq, err)
	}
	if strings.HasPrefix(e.Kind, "approval.") {
		h.answer(e.Kind, body.Outcome, body.Envelope)
		return "", nil
	}
	h.about[body.SID] = append(h.about[body.SID], e)
	if e.Kind != record.KindIntent {
		return "", nil
	}
	return body.SID, nil
}

// findAnswer reads how the question of a run ended. The answer may be in the log before the run
// gave up waiting for it.
func (h *reading) findAnswer(r Run) error {
	list := []audit.Entry{}
	f := audit.Filter{Kinds: []string{"approval."}, Text: r.Envelope}
	f.From, _ = h.from.Span(TimeOf(r.ID).Add(-answerLife), time.Time{})
	for e, err := range h.from.Entries(f) {
		if err != nil && !isBad(err) {
			return err
		}
		if err == nil {
			list = append(list, e)
		}
	}
	for _, e := range slices.Backward(list) {
		if slices.Contains(h.kinds(), e.Kind) {
			if _, err := h.add(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// answer notes how a question ended. The newest entry says so, unless the question was withdrawn in
// the place of a grant.
func (h *reading) answer(kind, outcome, envelope string) {
	state := questionStates[[2]string{kind, outcome}]
	if kind == approval.KindGranted {
		state = Approved
	}
	if _, known := h.answers[envelope]; !known || kind == approval.KindGranted {
		h.answers[envelope] = state
	}
}

// take returns the entries about a run, oldest first, and forgets them.
func (h *reading) take(sid string) []audit.Entry {
	about := h.about[sid]
	delete(h.about, sid)
	slices.Reverse(about)
	return about
}

// run puts together a run of which all entries have been read.
func (h *reading) run(sid string, about []audit.Entry) (Run, error) {
	r, err := h.past(about)
	if err != nil || !h.mayBeOver(r) {
		return r, err
	}
	// or it ended since it was read: an end is in the log before it shows elsewhere
	more, err := h.later(sid)
	if err == nil && r.open() {
		err = h.findAnswer(r)
	}
	if err != nil {
		return r, err
	}
	if r, err = h.past(append(about, more...)); err != nil {
		return r, err
	}
	switch {
	case r.State == Running:
		r.State = Lost
	case r.open(): // its time is over, and nothing has recorded that yet
		r.State = Expired
	}
	return r, nil
}

// past puts a run together, by the log alone, but for questions that are still open.
func (h *reading) past(about []audit.Entry) (Run, error) {
	r, err := pastOf(about)
	if err != nil {
		return r, err
	}
	for _, g := range slices.Backward(h.gaps) {
		before := slices.IndexFunc(about,
			func(e audit.Entry) bool { return e.Offset >= g.Offset+g.Bytes })
		if before < 0 {
			before = len(about)
		}
		if r.Unproven == "" && before > 0 && g.Covers(about[before-1].Offset) {
			r.Unproven = g.Unproven()
		}
	}
	if r.asked {
		r.State = cmp.Or(h.answers[r.Envelope], r.State)
	}
	if r.open() && h.waiting()[r.Envelope] {
		r.State = Waiting
	}
	return r, nil
}

// open reports whether a run was refused because of a question that has no answer by the log.
func (p Run) open() bool { return p.asked && p.State == Refused }

// mayBeOver reports whether a run or its question has an end that was not read.
func (h *reading) mayBeOver(r Run) bool {
	return r.State == Running && !audit.Alive(h.from.dir.Audit())(r.ID) ||
		r.open() && h.waiting() != nil
}

// later reads what the log has got since reading began.
func (h *reading) later(sid string) (about []audit.Entry, err error) {
	var list []audit.Entry
	for e, err := range h.from.Entries(audit.Filter{Kinds: h.kinds(), From: h.newest}) {
		if err != nil && !isBad(err) {
			return nil, err
		}
		if err == nil && e.Offset > h.newest {
			list = append(list, e)
		}
	}
	now := reading{about: map[string][]audit.Entry{}, answers: map[string]string{}}
	for _, e := range slices.Backward(list) {
		if _, err := now.add(e); err != nil {
			return nil, err
		}
	}
	maps.Copy(h.answers, now.answers)
	return now.take(sid), nil
}

// rest are the runs of which the beginning was not found, the newest first: it was pruned.
func (h *reading) rest() []string {
	return slices.SortedFunc(maps.Keys(h.about), func(a, b string) int {
		return cmp.Compare(h.oldest(b), h.oldest(a))
	})
}

func (h *reading) oldest(sid string) int64 {
	about := h.about[sid]
	return about[len(about)-1].Seq
}
