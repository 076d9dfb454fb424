package audit

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// writeMark remembers what is stored. The mark only repeats what the log says, so it is synced only
// the first time, and if the disk has no room for it, recording goes on.
func (l *Log) writeMark(a Anchor) {
	if l.opts.Mark == "" || a.Count == 0 {
		return
	}
	line := Place{a.Count, a.Size, a.Last, a.Head}.String() + "\n"
	if l.mark == nil {
		f, err := os.OpenFile(l.opts.Mark, os.O_WRONLY|os.O_CREATE|nofollow, 0o600)
		if err != nil {
			return
		}
		if st, err := f.Stat(); err == nil && st.Size() > int64(len(line)) {
			// this is not a mark, and a person has accepted that
			f.Close()
			if os.Remove(l.opts.Mark) != nil {
				return
			}
			if f, err = os.OpenFile(l.opts.Mark, os.O_WRONLY|os.O_CREATE|os.O_EXCL|nofollow,
				0o600); err != nil {
				return
			}
		}
		l.mark = f
	}
	if _, err := l.mark.WriteAt([]byte(line), 0); err == nil {
		l.noteMark()
	}
}

// noteMark notes in the folder that there is a mark, once for each folder, when the mark is on the
// disk.
func (l *Log) noteMark() {
	st, err := l.lock.Stat()
	if err != nil || st.Size() > 0 || l.mark.Sync() != nil ||
		SyncFolder(filepath.Dir(l.opts.Mark)) != nil {
		return
	}
	_, _ = l.lock.WriteAt([]byte(lockMark), 0)
}

// SyncFolder returns when the names in a folder are on the disk. What they replace may go
// then, not before.
func SyncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// checkMark compares the log with the mark, once for each Log, as far as two small reads can;
// Verify reads the rest.
func (l *Log) checkMark(a Anchor) error {
	if l.marked || l.opts.Mark == "" {
		return nil
	}
	m, err := readMark(l.opts.Mark)
	if err != nil {
		return fmt.Errorf("reading the mark %q: %w", l.opts.Mark, err)
	}
	st, err := l.lock.Stat()
	if err != nil {
		return fmt.Errorf("reading %q: %w", lockName, err)
	}
	if reason := m.missing(st.Size() > 0); reason != "" {
		return &TamperError{File: filepath.Base(l.opts.Mark), Offset: -1, Reason: reason}
	}
	if reason := m.against(a); reason != "" {
		return &TamperError{File: logName, Offset: -1, Reason: reason}
	}
	if m.Count > 0 && m.Size > a.Base && m.Last <= m.Size-a.Base && m.Last <= MaxLine {
		line := make([]byte, m.Last)
		_, err := l.bytes(a).ReadAt(line, m.Size-m.Last)
		if err != nil || sha256.Sum256(bytes.TrimSuffix(line, newline)) != m.Head {
			return &TamperError{File: logName, Offset: m.Size - m.Last,
				Reason: "it is another log than the one remembered in " + l.opts.Mark}
		}
	}
	l.marked = true
	return nil
}
