package audit

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// A mark is what is remembered of the log outside of its folder, in a file
// that the caller names (LogOptions.Mark): with the folder gone, or an old
// copy of it put back, a log without anchor and entries is not a first run.
//
// It is one line, written in place with every store, and says only what the
// disk has promised: a power cut cannot make it know more than the log.
//
//	tada-mark/v1 COUNT SIZE LAST HEAD CHECK
//
// LAST is the length of the last of COUNT entries, which end at byte SIZE;
// CHECK is the start of the SHA-256 of what stands before it.
type mark struct {
	count, size, last int64
	head              Hash
}

const markVersion = "tada-mark/v1"

func (m mark) line() []byte {
	b := fmt.Appendf(nil, "%s %015d %015d %07d %s ", markVersion, m.count, m.size, m.last, m.head)
	sum := sha256.Sum256(b)
	return fmt.Appendf(b, "%x\n", sum[:8])
}

// readMark returns the mark in a file; none there, or none that is whole, is
// the zero mark, which remembers nothing.
func readMark(path string) (m mark, err error) {
	if path == "" {
		return m, nil
	}
	b, err := readPlain(path, 256)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	var version, head, check string
	n, _ := fmt.Sscanf(string(b), "%s %d %d %d %s %s", &version, &m.count, &m.size, &m.last, &head, &check)
	h, ok := parseHash([]byte(head))
	m.head = h
	if n != 6 || !ok || !bytes.Equal(m.line(), b) {
		return mark{}, nil
	}
	return m, nil
}

// writeMark remembers what is stored. Nothing depends on it that the log does
// not say itself, so it is not synced, and a disk without room for it is no
// reason not to record.
func (l *Log) writeMark(a Anchor) {
	if l.opts.Mark == "" || a.Count == 0 {
		return
	}
	if l.mark == nil {
		f, err := os.OpenFile(l.opts.Mark, os.O_WRONLY|os.O_CREATE|nofollow, 0o600)
		if err != nil {
			return
		}
		l.mark = f
	}
	m := mark{a.Count, a.Size, a.Last, a.Head}
	_, _ = l.mark.WriteAt(m.line(), 0)
}

// checkMark compares the log with the mark, once for each Log: as far as two
// small reads can; Verify reads the rest.
func (l *Log) checkMark(a Anchor) error {
	if l.marked || l.opts.Mark == "" {
		return nil
	}
	m, err := readMark(l.opts.Mark)
	if err != nil {
		return fmt.Errorf("reading the mark %q: %w", l.opts.Mark, err)
	}
	if reason := m.against(a); reason != "" {
		return &TamperError{File: logName, Offset: -1, Reason: reason}
	}
	if m.count > 0 && m.size > a.Base && m.last <= m.size-a.Base && m.last <= MaxLine {
		line := make([]byte, m.last)
		_, err := l.bytes(a).ReadAt(line, m.size-m.last)
		if err != nil || sha256.Sum256(bytes.TrimSuffix(line, newline)) != m.head {
			return &TamperError{File: logName, Offset: m.size - m.last, Reason: "it is another log than the one remembered in " + l.opts.Mark}
		}
	}
	l.marked = true
	return nil
}

// against tells what a log with this anchor lacks of what the mark remembers.
func (m mark) against(a Anchor) string {
	switch {
	case m.count > 0 && a.Count == 0:
		return fmt.Sprintf("the folder is new, but %d entries are remembered outside of it", m.count)
	case m.count > a.Count || m.size > a.Size:
		return fmt.Sprintf("it was put back to an older state: %d entries are remembered outside of it, it has %d", m.count, a.Count)
	}
	return ""
}

// ParsePoint reads SIZE:HASH, as Point.String writes it and a person keeps it.
func ParsePoint(s string) (p Point, err error) {
	size, hash, ok := strings.Cut(s, ":")
	count, ok1 := parseSeq([]byte(digits(size)))
	head, ok2 := parseHash([]byte(hash))
	if !ok || !ok1 || !ok2 {
		return p, fmt.Errorf("%q is not SIZE:HASH", s)
	}
	return Point{Count: count, Head: head}, nil
}

// digits is s when it is a number, else nothing.
func digits(s string) string {
	if strings.Trim(s, "0123456789") != "" {
		return ""
	}
	return s
}

// String is the point as ParsePoint reads it.
func (p Point) String() string { return fmt.Sprintf("%d:%s", p.Count, p.Head) }
