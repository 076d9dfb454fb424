package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
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

// A voucher is everything that the log says about one transcript.
type voucher struct {
	sid      string
	closed   *recBody
	heads    map[int64]string // after so many events
	most     int64            // events that the log has seen
	redacted map[int64]bool
	dropped  bool
}

// vouchers groups what the log says by session, in order of first mention.
func vouchers(entries []Entry) ([]*voucher, error) {
	var list []*voucher
	bySID := map[string]*voucher{}
	for _, e := range entries {
		var b recBody
		if err := json.Unmarshal(e.Body, &b); err != nil || b.SID == "" {
			return nil, &BadEntry{File: logName, Seq: e.Seq, Line: e.Line, Offset: e.Offset,
				Reason: e.Kind + " names no session"}
		}
		v := bySID[b.SID]
		if v == nil {
			v = &voucher{sid: b.SID, heads: map[int64]string{}, redacted: map[int64]bool{}}
			bySID[b.SID] = v
			list = append(list, v)
		}
		switch e.Kind {
		case KindClose:
			v.closed = &b
			fallthrough
		case KindCheckpoint:
			v.heads[b.Count] = b.Head
			v.most = max(v.most, b.Count)
		case KindRedact:
			for _, n := range b.Events {
				v.redacted[n] = true
			}
		case KindDrop:
			v.dropped = true
		}
	}
	return list, nil
}

// transcripts checks every transcript that the log names.
func (v *verifier) transcripts() error {
	list, err := vouchers(v.found.recs)
	if err != nil {
		return err
	}
	sessions, errs := make([]Session, len(list)), make([]error, len(list))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(v.o.workers(), len(list)) {
		all.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(list); i = next.Add(1) - 1 {
				sessions[i], errs[i] = list[i].verify(v.o.Transcript)
			}
		})
	}
	all.Wait()
	for i, err := range errs {
		v.report.Transcripts = append(v.report.Transcripts, sessions[i])
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *voucher) verify(open func(sid string) (io.ReadCloser, error)) (Session, error) {
	s := Session{ID: w.sid, Closed: w.closed != nil}
	name := w.sid + ".cast"
	f, err := open(w.sid)
	if errors.Is(err, fs.ErrNotExist) {
		s.Missing = true
		if w.dropped || w.most == 0 {
			return s, nil
		}
		return s, &BadEntry{File: name,
			Reason: fmt.Sprintf("the file is missing; the log remembers %s",
				Plural(w.most, "event"))}
	}
	if err != nil {
		return s, fmt.Errorf("transcript %q: %w", w.sid, err)
	}
	defer f.Close()
	t, err := NewReader(name, f)
	if err != nil {
		return s, err
	}
	err = w.read(t)
	s.Summary = t.Summary()
	return s, err
}

// read compares the transcript with the log at every point that the log knows.
func (w *voucher) read(t *Reader) error {
	for {
		if want, known := w.heads[t.at.sum.Count]; known && want != t.at.sum.Head.String() {
			bad := t.bad("the log remembers another transcript up to here")
			bad.Seq = max(bad.Seq-1, 0)
			return bad
		}
		_, err := t.step()
		var bad *BadEntry
		switch {
		case err == nil:
			continue
		case errors.As(err, &bad) && bad.Torn && w.closed == nil && t.at.sum.Count >= w.most:
			// The recorder died: there is no more than what it had written.
		case errors.Is(err, io.EOF):
		default:
			return err
		}
		return w.end(t)
	}
}

func (w *voucher) end(t *Reader) error {
	switch {
	case t.at.sum.Count < w.most:
		return t.bad(fmt.Sprintf("the transcript was cut here; the log remembers %s",
			Plural(w.most, "event")))
	case w.closed != nil && t.at.sum.Count > w.closed.Count:
		bad := t.bad("something was added after the session had ended")
		bad.Seq = w.closed.Count
		return bad
	case w.closed != nil && t.at.sum.Bytes != w.closed.Bytes:
		return t.bad(fmt.Sprintf("counts %s, the log remembers %d", Plural(t.at.sum.Bytes, "byte"),
			w.closed.Bytes))
	}
	if i := slices.IndexFunc(t.at.sum.Redacted,
		func(n int64) bool { return !w.redacted[n] }); i >= 0 {
		bad := t.bad("its text was removed, and the log does not say so")
		bad.Seq = t.at.sum.Redacted[i]
		return bad
	}
	return nil
}
