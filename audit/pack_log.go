package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Pack compresses the segments of the log that are not written to any more, as PackFolder does
// transcripts. Hashes, offsets and proofs are those of the plain text, and stay what they were. A
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
	if isAppendOnly(l.dir) {
		return done, nil // what is packed could not be removed
	}
	a, err := l.anchorNow()
	if err != nil {
		return done, fmt.Errorf("pack the log: %w", err)
	}
	names, err := os.ReadDir(l.dir.Name())
	if err != nil {
		return done, err
	}
	for _, e := range names {
		n, ok := segmentNumber(e.Name())
		if !ok || n >= a.Segment {
			continue
		}
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
	return done, nil
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
