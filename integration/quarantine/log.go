package quarantine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// LogName is the name of the security log.
const LogName = "review-mode-audit.jsonl"

const (
	flushEvery = 10          // events
	flushAfter = time.Second // after the oldest collected event
)

// A Log is the security log: one JSON object per line, appended. Allowed calls are collected and
// written ten at a time, or once a second; a denial is written before it is answered, together with
// everything collected. Several processes may write one log: a write consists of whole lines, and
// O_APPEND keeps them apart (open(2)).
type Log struct {
	path string

	mu      sync.Mutex
	waiting []byte
	count   int
	timer   *time.Timer
	failed  error // the last write failed: the collected events are still there
	closed  bool
}

// OpenLog returns the log at path. The first write creates it; OpenLog checks that this is
// possible.
func OpenLog(path string) (*Log, error) {
	f, err := openAppend(path)
	if err != nil {
		return nil, fmt.Errorf("security log: %w", err)
	}
	return &Log{path: path}, f.Close()
}

func openAppend(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
}

// Add records an event. An error means that the log does not have it, or lacks an earlier one: the
// request must be denied.
func (l *Log) Add(e Event) error {
	if e.Type == "" {
		return errors.New("security log: an event has no type")
	}
	line, err := e.line()
	if err != nil {
		return fmt.Errorf("security log: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errors.New("security log: it is closed")
	}
	if l.failed != nil && l.flush() != nil { // until the disk has room again, nothing is collected
		return l.failed
	}
	l.waiting = append(l.waiting, line...)
	l.count++
	if l.count >= flushEvery || !e.Allowed {
		return l.flush()
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(flushAfter, func() { _ = l.Flush() })
	}
	return nil
}

// Flush writes the collected events.
func (l *Log) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flush()
}

// Close writes the collected events; the log accepts nothing after that.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return l.flush()
}

func (l *Log) flush() error {
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	if len(l.waiting) == 0 {
		return nil
	}
	written, err := appendLines(l.path, l.waiting)
	l.waiting = l.waiting[written:]
	if l.failed = err; err != nil {
		l.failed = fmt.Errorf("security log: %w", err)
		return l.failed
	}
	l.waiting, l.count = nil, 0
	return nil
}

// appendLines returns how many bytes were written. If another writer left a line half written,
// because it died or the disk was full, that line is ended first, so that ours are whole.
func appendLines(path string, lines []byte) (int, error) {
	f, err := openAppend(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if end, err := f.Seek(0, io.SeekEnd); err == nil && end > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, end-1); err == nil && last[0] != '\n' {
			if _, err := f.Write([]byte{'\n'}); err != nil {
				return 0, err
			}
		}
	}
	n, err := f.Write(lines)
	if err != nil {
		// A torn line was written. It will be ended and written again, whole.
		return 0, err
	}
	return n, nil
}
