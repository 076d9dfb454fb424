package audit

import (
	"crypto/sha256"
	"hash"
)

const (
	// keepTail is how much of the end of a session's output is kept whatever
	// its size: the reason why it ended is there.
	keepTail = 64 << 10
	// gapEvery is how much one gap event stands for at most, so that a session
	// that is killed leaves an account of all but the last of it.
	gapEvery = 16 << 20
)

// An overflow is what a session printed beyond RecordOptions.MaxBytes:
// counted and hashed in the order in which it came, and gone, but for the last
// of the stream o.
type overflow struct {
	on   bool
	kept int64 // bytes of output that were recorded
	n    int64 // bytes of the gap so far
	sum  hash.Hash
	tail []byte
}

// drop counts bytes that are not kept.
func (o *overflow) drop(p []byte) {
	if o.sum == nil {
		o.sum = sha256.New()
	}
	o.sum.Write(p)
	o.n += int64(len(p))
}

// beyond takes in output when no more is kept.
func (r *Recorder) beyond(code byte, p []byte) error {
	o := &r.over
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
	return r.tellGap()
}

// tellGap records what was dropped since the last gap.
func (r *Recorder) tellGap() error {
	o := &r.over
	if o.n == 0 {
		return nil
	}
	sum := Hash(o.sum.Sum(nil))
	if err := r.gap(o.n, sum); err != nil {
		return err
	}
	o.n, o.sum = 0, nil
	return nil
}

// closeGap ends the account: the last gap, then the last of the output.
func (r *Recorder) closeGap() error {
	if err := r.tellGap(); err != nil {
		return err
	}
	tail := r.over.tail
	r.over.tail = nil
	for len(tail) > 0 {
		n := min(len(tail), maxChunk)
		if n < len(tail) {
			n -= unfinished(tail[:n])
		}
		if err := r.chunk(CodeOutput, AuthorProgram, tail[:n]); err != nil {
			return err
		}
		tail = tail[n:]
	}
	return r.commit()
}
