package audit

import (
	"encoding/binary"
	"encoding/json"
	"iter"

	"github.com/tada-run/tada-run/audit/sorted"
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

// A rec is an entry about a transcript.
type rec struct {
	sid          string
	offset       int64
	count, bytes int64
	head         Hash
	events       []int64 // of recRedact
	kind         byte
}

// The kinds of a rec. Others of a later version say nothing here.
const (
	recOther = iota
	recClose
	recCheckpoint
	recRedact
	recDrop
	recThere // no entry: there is a transcript
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
		r.kind, r.events = recRedact, b.Events
	case KindDrop:
		r.kind = recDrop
	}
	r.head, _ = parseHash([]byte(b.Head)) // what is none is the head of no transcript
	return r, true
}

// append writes a rec as a record that sorts by session and then by offset.
func (r *rec) append(dst []byte) []byte {
	dst = sorted.AppendKey(dst, r.sid)
	for _, n := range []int64{r.offset, r.count, r.bytes} {
		dst = binary.BigEndian.AppendUint64(dst, uint64(n))
	}
	dst = append(append(dst, r.kind), r.head[:]...)
	for _, n := range r.events {
		dst = binary.AppendVarint(dst, n)
	}
	return dst
}

// parseRec reads what append wrote, without the session.
func parseRec(b []byte) (r rec) {
	for _, n := range []*int64{&r.offset, &r.count, &r.bytes} {
		*n, b = int64(binary.BigEndian.Uint64(b)), b[8:]
	}
	r.kind = b[0]
	b = b[1+copy(r.head[:], b[1:]):]
	for len(b) > 0 {
		n, size := binary.Varint(b)
		r.events, b = append(r.events, n), b[size:]
	}
	return r
}

// An evidence is all that the log says about transcripts, and which of them there are, sorted by
// session.
type evidence struct {
	sorted.Sorter
	count  int64 // records
	buffer []byte
}

func (v *evidence) add(list ...rec) {
	for i := range list {
		v.buffer = list[i].append(v.buffer[:0])
		v.Add(v.buffer)
		v.count++
	}
}

// groups yields what there is about each session. The list is the caller's.
func (v *evidence) groups() iter.Seq2[[]rec, error] {
	return func(yield func([]rec, error) bool) {
		var list []rec
		for record, err := range v.Records() {
			if err != nil {
				yield(nil, err)
				return
			}
			r := parseRec(record.Rest)
			if record.First {
				if len(list) > 0 && !yield(list, nil) {
					return
				}
				list, r.sid = nil, string(record.Text)
			} else {
				r.sid = list[0].sid
			}
			list = append(list, r)
		}
		if len(list) > 0 {
			yield(list, nil)
		}
	}
}
