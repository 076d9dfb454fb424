package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
)

// castSuffix names a transcript.
const castSuffix = ".cast"

// An old transcript, and the space that it takes.
type oldCast struct {
	sid   string
	files []string // plain, packed, or, after a crash, both
	size  int64
	at    time.Time // of the last write
}

// DropSessions removes the transcripts in folder that r covers, oldest first, except busy ones (if
// busy is nil, none is). An entry of kind rec.drop is in the log, durably, before a file is
// removed: Verify requires every other. It returns the sessions and the bytes that they took.
func (l *Log) DropSessions(folder string, r Retention, now time.Time, reason string,
	busy func(sid string) bool) (sids []string, size int64, err error) {
	list, total, err := oldCasts(folder)
	if err != nil {
		return nil, 0, fmt.Errorf("drop sessions: %w", err)
	}
	for _, c := range list {
		tooOld := r.MaxAge > 0 && now.Sub(c.at) > r.MaxAge
		tooBig := r.MaxBytes > 0 && total > r.MaxBytes
		if !tooOld && !tooBig {
			break
		}
		if busy != nil && busy(c.sid) {
			continue
		}
		body := append(canonical.AppendString([]byte(`{"reason":`),
			reason[:min(len(reason), maxReason)]), `,"sid":`...)
		if _, err := l.Append(KindDrop, append(canonical.AppendString(body, c.sid), '}'),
			Durable); err != nil {
			return sids, size, err
		}
		for _, name := range c.files {
			if err := os.Remove(filepath.Join(folder, name)); err != nil &&
				!errors.Is(err, fs.ErrNotExist) {
				return sids, size, err
			}
		}
		sids, size, total = append(sids, c.sid), size+c.size, total-c.size
	}
	return sids, size, nil
}

// oldCasts lists the transcripts in a folder, oldest first.
func oldCasts(folder string) (list []*oldCast, total int64, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, 0, err
	}
	bySID := map[string]*oldCast{}
	for _, e := range entries {
		sid, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), packedSuffix), castSuffix)
		info, err := e.Info()
		if !ok || !validSID(sid) || err != nil || !info.Mode().IsRegular() {
			continue
		}
		c := bySID[sid]
		if c == nil {
			c = &oldCast{sid: sid}
			bySID[sid] = c
			list = append(list, c)
		}
		c.files = append(c.files, e.Name())
		c.size += info.Size()
		total += info.Size()
		if info.ModTime().After(c.at) {
			c.at = info.ModTime()
		}
	}
	slices.SortFunc(list, func(a, b *oldCast) int {
		return cmp.Or(a.at.Compare(b.at),
			strings.Compare(a.sid, b.sid))
	})
	return list, total, nil
}
