package audit

import (
	"context"
	"errors"
	"io"
	"time"
)

// followEvery is how often a follower looks for more: often enough that a person does not notice,
// and cheap enough to leave running.
const followEvery = 50 * time.Millisecond

// Follow returns a reader of a transcript that is still being written: at the end of r it waits for
// more. It returns io.EOF when ended reports that nothing will come and everything was read, and
// ctx.Err() when ctx is done. It can seek if r can.
func Follow(ctx context.Context, r io.Reader, ended func() bool) io.ReadSeeker {
	return &follower{ctx, r, ended}
}

type follower struct {
	ctx   context.Context
	r     io.Reader
	ended func() bool
}

func (f *follower) Read(p []byte) (int, error) {
	for {
		// Called before the read, so that everything written before the end is read.
		last := f.ended()
		n, err := f.r.Read(p)
		if n > 0 || err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		if last {
			return 0, io.EOF
		}
		select {
		case <-f.ctx.Done():
			return 0, f.ctx.Err()
		case <-time.After(followEvery):
		}
	}
}

func (f *follower) Seek(offset int64, whence int) (int64, error) {
	if s, ok := f.r.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, errors.New("cannot go back in a stream")
}
