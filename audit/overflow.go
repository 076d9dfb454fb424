package audit

import (
	"crypto/sha256"
	"hash"
	"time"
)

const (
	// keepTail is how much of the end of a session's output is kept whatever its size: it shows why
	// the session ended.
	keepTail = 64 << 10
	// gapEvery is the most that one gap event covers, so that a session that is killed leaves an
	// account of all but the last part.
	gapEvery = 16 << 20
	// burst is how many seconds' worth of output are kept at once: a build prints everything at its
	// end, but noise does not stop.
	burst = 16
)

// An overflow is what a session printed beyond RecordOptions.MaxBytes, or faster than Rate. It is
// counted and hashed in the order in which it came and not kept, except for the end of the stream
// o.
type overflow struct {
	out     *eventWriter
	on      bool
	kept    int64 // bytes of output that were recorded
	dropped int64 // bytes of all gaps
	n       int64 // bytes of the gap so far
	sum     hash.Hash
	tail    []byte

	room int64         // bytes that the rate allows now
	at   time.Duration // the time of room
}

// admit reports whether n more bytes of output may be kept. If that is so again after a gap, it
// ends the gap.
func (o *overflow) admit(n int64) (bool, error) {
	if n == 0 {
		return true, nil
	}
	if o.kept+n > o.out.opts.MaxBytes {
		o.kept = o.out.opts.MaxBytes // for good: a smaller piece must not fit again
		return false, nil
	}
	if rate := o.out.opts.Rate; rate > 0 {
		now := o.out.opts.Now() - o.out.start
		o.room = min(o.room+int64(float64(rate)*(now-o.at).Seconds()), rate*burst)
		o.at = now
		if o.on && o.room < rate || o.room <= 0 {
			return false, nil
		}
		if o.on {
			o.on = false
			o.room -= int64(len(o.tail))
			o.kept += int64(len(o.tail))
			if err := o.closeGap(); err != nil {
				return false, err
			}
		}
		o.room -= n
	}
	o.kept += n
	return true, nil
}

// drop counts bytes that are not kept.
func (o *overflow) drop(p []byte) {
	if o.sum == nil {
		o.sum = sha256.New()
	}
	o.sum.Write(p)
	o.n += int64(len(p))
	o.dropped += int64(len(p))
}

// beyond takes output while none is kept.
func (o *overflow) beyond(code byte, p []byte) error {
	o.on = true
	if code != CodeOutput {
		o.drop(p)
	} else {
		o.tail = append(o.tail, p...)
		if n := len(o.tail) - keepTail; n > 0 {
			n += unfinished(o.tail[:n]) // not a character's second half first
			n = min(n, len(o.tail))
			o.drop(o.tail[:n])
			o.tail = o.tail[:copy(o.tail, o.tail[n:])]
		}
	}
	if o.n < gapEvery {
		return nil
	}
	return o.tellGap()
}

// tellGap records what was dropped since the last gap.
func (o *overflow) tellGap() error {
	if o.n == 0 {
		return nil
	}
	sum := Hash(o.sum.Sum(nil))
	if err := o.out.gap(o.n, sum); err != nil {
		return err
	}
	o.n, o.sum = 0, nil
	return nil
}

// closeGap ends the account: the last gap, then the last of the output.
func (o *overflow) closeGap() error {
	if err := o.tellGap(); err != nil {
		return err
	}
	tail := o.tail
	o.tail = nil
	for len(tail) > 0 {
		n := min(len(tail), maxChunk)
		if n < len(tail) {
			n -= unfinished(tail[:n])
		}
		if err := o.out.chunk(CodeOutput, AuthorProgram, tail[:n]); err != nil {
			return err
		}
		tail = tail[n:]
	}
	return o.out.commit()
}
