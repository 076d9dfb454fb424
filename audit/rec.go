package audit

import (
	"encoding/json"
	"slices"
)

// The kinds of entries that vouch for transcripts. The launcher writes them; these members of their
// bodies are read here:
//
//	rec.ckpt    sid, count, head                  while the session runs
//	rec.close   sid, count, head, bytes           at its end
//	rec.redact  sid, events (array of numbers)    data was removed from these
//	rec.drop    sid                               the whole file was deleted
const (
	KindCheckpoint = "rec.ckpt"
	KindClose      = "rec.close"
	KindRedact     = "rec.redact"
	KindDrop       = "rec.drop"
)

type recBody struct {
	SID    string  `json:"sid"`
	Head   string  `json:"head"`
	Bytes  int64   `json:"bytes"`
	Count  int64   `json:"count"`
	Events []int64 `json:"events"`
}

// A rec is an entry about a transcript, in as few bytes as will do: a log may have millions.
type rec struct {
	sid          string
	offset       int64
	count, bytes int64
	head         Hash
	events       *[]int64 // nil but for few
	kind         byte
}

// The kinds of a rec. Others of a later version say nothing here.
const (
	recOther = iota
	recClose
	recCheckpoint
	recRedact
	recDrop
)

// readRec reads an entry about a transcript; ok is false if it names none.
func readRec(f fields, offset int64) (r rec, ok bool) {
	var b recBody
	if json.Unmarshal(f.body, &b) != nil || b.SID == "" {
		return r, false
	}
	r = rec{sid: b.SID, offset: offset, count: b.Count, bytes: b.Bytes}
	switch string(f.kind) {
	case KindClose:
		r.kind = recClose
	case KindCheckpoint:
		r.kind = recCheckpoint
	case KindRedact:
		r.kind, r.events = recRedact, &b.Events
	case KindDrop:
		r.kind = recDrop
	}
	r.head, _ = parseHash([]byte(b.Head)) // what is none is the head of no transcript
	return r, true
}

// recs are many entries in the order in which they were added. They are in blocks: a slice that
// grows is in memory twice.
type recs [][]rec

const recsBlock = 1024

func (r *recs) add(e rec) {
	n := len(*r)
	if n == 0 || len((*r)[n-1]) >= recsBlock {
		*r = append(*r, nil)
		n++
	}
	(*r)[n-1] = append((*r)[n-1], e)
}

// join adds those of another, which is not used any more, and keeps no more memory than they need.
func (r *recs) join(more recs) {
	for _, block := range more {
		*r = append(*r, slices.Clone(block))
	}
}

// all moves the entries into one slice.
func (r recs) all() []rec {
	n := 0
	for _, block := range r {
		n += len(block)
	}
	all := make([]rec, 0, n)
	for i := range r {
		all = append(all, r[i]...)
		r[i] = nil
	}
	return all
}
