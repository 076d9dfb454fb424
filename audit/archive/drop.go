package archive

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
)

// An old transcript, and the space that it takes.
type old struct {
	id       string
	size     int64
	at       time.Time // of the last write
	archived bool      // nobody writes to it
}

// Drop removes the transcripts that r covers, oldest first, except busy ones. An entry of kind
// rec.drop is in the log, durably, before a transcript is removed: [audit.Verify] requires every
// other. It returns the sessions and the bytes that they took.
func (f *Folder) Drop(log *audit.Log, r audit.Retention, now time.Time, reason string,
	busy func(id string) bool) (ids []string, size int64, err error) {
	list, total, err := f.oldest(now)
	if err != nil {
		return nil, 0, fmt.Errorf("drop sessions: %w", err)
	}
	for _, t := range list {
		tooOld := r.MaxAge > 0 && now.Sub(t.at) > r.MaxAge
		tooBig := r.MaxBytes > 0 && total > r.MaxBytes
		if !tooOld && !tooBig {
			continue // of those from the future none is too old
		}
		if !t.archived && busy != nil && busy(t.id) {
			continue
		}
		ids, size, total = append(ids, t.id), size+t.size, total-t.size
	}
	for i, id := range ids {
		body := append(canonical.AppendString([]byte(`{"reason":`),
			reason[:min(len(reason), audit.MaxReason)]), `,"sid":`...)
		durable := audit.Lazy
		if i == len(ids)-1 { // and so all before it
			durable = audit.Durable
		}
		if _, err := log.Append(audit.KindDrop, append(canonical.AppendString(body, id), '}'),
			durable); err != nil {
			return nil, 0, err
		}
	}
	if len(ids) == 0 {
		return nil, 0, nil
	}
	return ids, size, f.Remove(ids...)
}

// ahead is how far in the future a transcript is written by a clock that was set back since.
const ahead = 24 * time.Hour

// oldest lists the transcripts, oldest first, and what they take on the disk. Those from the future
// are the oldest: a clock that was set back by years does not make new ones go before the others.
func (f *Folder) oldest(now time.Time) (list []old, total int64, err error) {
	names, err := f.names()
	if err != nil {
		return nil, 0, err
	}
	byID := map[string]int{}
	add := func(t old) {
		total += t.size
		i, known := byID[t.id]
		if !known {
			byID[t.id] = len(list)
			list = append(list, t)
			return
		}
		list[i].size += t.size
		if t.at.After(list[i].at) {
			list[i].at = t.at
		}
	}
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(f.Dir, name))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		id, ok := idOf(name)
		if ok && isID(id) {
			add(old{id: id, size: info.Size(), at: info.ModTime()})
		}
	}
	archives, err := f.archives()
	if err != nil {
		return nil, 0, err
	}
	for _, name := range archives {
		info, err := os.Lstat(filepath.Join(f.in(), name))
		if err != nil {
			continue
		}
		a, err := open(f.in(), name, f.Codec)
		if err != nil {
			total += info.Size() // it is found by who reads it
			continue
		}
		a.text.Close()
		for _, e := range a.list { // its part of the packed size
			add(old{e.id, info.Size() * (e.size + 1) / (a.size + int64(len(a.list))), e.at, true})
		}
	}
	isAhead := func(t old) bool { return t.at.Sub(now) > ahead }
	slices.SortFunc(list, func(a, b old) int {
		if isAhead(a) != isAhead(b) {
			return map[bool]int{true: -1, false: 1}[isAhead(a)]
		}
		return cmp.Or(a.at.Compare(b.at), strings.Compare(a.id, b.id))
	})
	return list, total, nil
}
