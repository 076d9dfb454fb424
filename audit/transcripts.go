package audit

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/tada-run/tada-run/audit/sorted"
)

// transcripts checks every transcript that the log names, some at a time, in the order of their
// sessions: those of an archive one after the other.
func (v *verifier) transcripts() error {
	if bad := v.found.unnamed; bad != nil {
		return bad
	}
	c := checked{verifier: v, total: v.vouched.count} // of entries, and what list adds are none
	v.list()
	groups := make(chan []rec, 64)
	var all sync.WaitGroup
	for range v.o.workers() {
		all.Go(func() {
			for recs := range groups {
				s, err := voucherOf(recs).verify(v.o.Transcript, v.before)
				c.take(s, err, len(recs))
			}
		})
	}
	var failed error
	for recs, err := range v.vouched.groups() {
		if err != nil {
			failed = err
			break
		}
		sid := recs[0].sid
		recs = slices.DeleteFunc(recs, func(r rec) bool { return r.kind == recThere })
		if len(recs) > 0 {
			groups <- recs
		} else {
			v.strangers = append(v.strangers, sid)
		}
	}
	close(groups)
	all.Wait()
	v.vouched.Close()
	if failed != nil {
		return failed
	}
	return c.err
}

// list adds the transcripts that may be without an entry.
func (v *verifier) list() {
	if v.o.Transcripts == nil || v.report.Since > 0 {
		return
	}
	v.unlisted = v.there(func(sid string) {
		v.vouched.add(rec{sid: sid, offset: math.MaxInt64, kind: recThere})
	})
}

// checked is what was found about transcripts, in any order.
type checked struct {
	*verifier
	mu          sync.Mutex
	done, total int64
	err         error // about the one of err, that the log named first
	first       int64
	buffer      []byte
}

// take counts a transcript about which there are some entries.
func (c *checked) take(s Session, err error, entries int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done += int64(entries); c.done%64 == 0 {
		c.progress("transcripts", c.done, c.total)
	}
	if err != nil {
		if c.err == nil || s.first < c.first {
			c.err, c.first = err, s.first
		}
		return
	}
	if c.before.counted(s) {
		return
	}
	c.report.Transcripts++
	if s.Missing {
		c.report.Missing++
	} else if c.o.AtRest != nil && !c.crowded {
		c.buffer = sorted.AppendKey(c.buffer[:0], s.ID)
		c.buffer = binary.BigEndian.AppendUint64(append(c.buffer, restSession), uint64(s.first))
		c.rested.Add(c.buffer)
	}
	c.back = c.back || s.back
	if c.o.Session != nil {
		c.o.Session(s)
	}
}
