package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sort"
)

// A voucher is everything that the log says about one transcript, in order.
type voucher struct {
	sid     string
	recs    []rec
	closed  *rec
	heads   []rec // by count; of two with the same the later one counts
	most    int64 // events that the log has seen
	dropped bool
	drop    int64 // where the first entry about that is
}

// voucherOf puts together what the entries about a session say.
func voucherOf(recs []rec) *voucher {
	w := &voucher{sid: recs[0].sid, recs: recs}
	for i := range w.recs {
		switch r := &w.recs[i]; r.kind {
		case recClose:
			w.closed = r
			fallthrough
		case recCheckpoint:
			w.heads = append(w.heads, *r)
			w.most = max(w.most, r.count)
		case recDrop:
			if !w.dropped {
				w.dropped, w.drop = true, r.offset
			}
		}
	}
	slices.SortStableFunc(w.heads, func(a, b rec) int { return cmp.Compare(a.count, b.count) })
	return w
}

// headAfter is what the log says that the head was after so many events.
func (w *voucher) headAfter(count int64) (Hash, bool) {
	i := sort.Search(len(w.heads), func(i int) bool { return w.heads[i].count > count }) - 1
	if i < 0 || w.heads[i].count != count {
		return Hash{}, false
	}
	return w.heads[i].head, true
}

// redacted reports whether the log says that the text of an event was removed.
func (w *voucher) redacted(n int64) bool {
	return slices.ContainsFunc(w.recs, func(r rec) bool {
		return r.kind == recRedact && slices.Contains(r.events, n)
	})
}

// ErrAwaited is what VerifyOptions.Transcript returns, in a copy of a record, for a transcript that
// was still being written when the copy was made. It counts only as long as the log does not say
// that the transcript has ended.
var ErrAwaited = errors.New("the transcript was not finished when this copy was made")

func (w *voucher) verify(open func(sid string) (io.ReadCloser, error), before *resumed) (Session,
	error) {
	s := Session{ID: w.sid, Closed: w.closed != nil, first: w.recs[0].offset,
		last: w.recs[len(w.recs)-1].offset}
	name := w.sid + ".cast"
	f, err := open(w.sid)
	if errors.Is(err, ErrAwaited) && w.closed == nil {
		s.Missing = true
		return s, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		s.Missing = true
		if before.doubts(w.most, w.drop, s.last) {
			return s, errResume
		}
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
	s.back = w.dropped
	if s.rests, err = before.rests(w.sid, s.last, w.dropped); s.rests || err != nil {
		return s, err
	}
	t, err := NewReader(name, f)
	if err != nil {
		return s, err
	}
	defer t.Free()
	err = w.read(t)
	s.Summary = t.Summary()
	return s, err
}

// read compares the transcript with the log at every point that the log knows.
func (w *voucher) read(t *Reader) error {
	for {
		if want, known := w.headAfter(t.at.sum.Count); known && want != t.at.sum.Head {
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
	case w.closed != nil && t.at.sum.Count > w.closed.count:
		bad := t.bad("something was added after the session had ended")
		bad.Seq = w.closed.count
		return bad
	case w.closed != nil && t.at.sum.Bytes != w.closed.bytes:
		return t.bad(fmt.Sprintf("counts %s, the log remembers %d", Plural(t.at.sum.Bytes, "byte"),
			w.closed.bytes))
	}
	if i := slices.IndexFunc(t.at.sum.Redacted,
		func(n int64) bool { return !w.redacted(n) }); i >= 0 {
		bad := t.bad("its text was removed, and the log does not say so")
		bad.Seq = t.at.sum.Redacted[i]
		return bad
	}
	return nil
}
