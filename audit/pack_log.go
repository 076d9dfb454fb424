package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Pack compresses the segments of the log that are not written to any more, as PackFolder does
// transcripts, but for the newest of them: programs without a codec read what was written last.
// Hashes, offsets and proofs are those of the plain text, and stay what they were. A
// crash leaves the plain file, both, or the packed one. When ctx ends, Pack returns its results so
// far and ctx.Err(). It needs LogOptions.Codec.
func (l *Log) Pack(ctx context.Context) (done Packed, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held, err := l.lockNamed(nil, pruneLockName)
	if err != nil {
		return done, fmt.Errorf("pack the log: %w", err)
	}
	defer held.Close()
	list, err := l.packable()
	for _, n := range list {
		sizes, err := l.packSegment(ctx, n)
		switch {
		case errors.Is(err, ErrPacking):
		case err != nil:
			return done, err
		default:
			done.Files++
			done.Before += sizes.Before
			done.After += sizes.After
		}
	}
	return done, err
}

// Packable reports whether there is something for Pack to do.
func (l *Log) Packable() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	list, err := l.packable()
	return err == nil && len(list) > 0
}

func (l *Log) packable() (list []int64, err error) {
	if isAppendOnly(l.dir) {
		return nil, nil // what is packed could not be removed
	}
	a, err := l.anchorNow()
	if err != nil {
		return nil, fmt.Errorf("pack the log: %w", err)
	}
	names, err := os.ReadDir(l.dir.Name())
	for _, e := range names {
		if n, ok := segmentNumber(e.Name()); ok && n < a.Segment-1 {
			list = append(list, n)
		}
	}
	return list, err
}

// logFrame is how much of a segment one frame holds: who looks for a time unpacks some ten of them.
const logFrame = 128 << 10

func (l *Log) packSegment(ctx context.Context, n int64) (Packed, error) {
	path := filepath.Join(l.dir.Name(), segmentName(n))
	st, err := os.Lstat(path)
	if err != nil {
		return Packed{}, err
	}
	packed := filepath.Join(l.dir.Name(), packedName(n, st.Size()))
	return packFile(ctx, path, packed, logFrame, l.opts.Codec)
}
