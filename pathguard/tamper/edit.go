package tamper

import (
	"bytes"
	"os"

	"github.com/rogpeppe/go-internal/diff"
)

// Baseline returns the content of a file as it was left, and whether there is a copy of it. A file
// that did not exist has the content nil.
func (s *Store) Baseline(path string) (content []byte, kept bool, err error) {
	m, err := s.load()
	if err != nil {
		return nil, false, err
	}
	if m.records[path] == nil {
		return nil, false, nil
	}
	return s.original(m, Finding{Path: path})
}

// Edit writes a protected file that a person edited, and accepts it: what Save does, over a file
// that may have been changed from outside. That version is archived. was is what the person began
// with, nil for no file; when something else is there now, nothing is written and the error is
// [ErrChangedSince].
func (s *Store) Edit(who Who, path string, was, content []byte, mode os.FileMode) error {
	return s.update(func(m *manifest) (bool, error) {
		now, have := look(path, MaxShadow)
		if now.Form != Absent && now.Form != Regular || (now.Form == Absent) != (was == nil) ||
			!bytes.Equal(was, have) {
			return false, ErrChangedSince
		}
		if rec := m.records[path]; rec != nil && differs(rec.Seen, now) != "" {
			accepted := Event{Action: ActionAccept, Digest: digestOf(path, rec.Seen, now),
				Text: "Accepted external changes: edited further with tadactl policy edit"}
			if _, err := s.override(m, who, path, accepted); err != nil {
				return false, err
			}
		}
		e := Event{Action: ActionWrite, Path: path, Checksum: CalculateChecksum(path, content),
			Text: "edited with tadactl policy edit"}
		return true, s.put(m, who, path, path, content, mode, e)
	})
}

// Unified is the difference of two texts, in which nothing can move the cursor; "" when they are
// equal.
func Unified(name string, was, now []byte) string {
	if bytes.Equal(was, now) {
		return ""
	}
	name = Inert(name)
	text := diff.Diff("a/"+name, marked(was), "b/"+name, marked(now))
	if _, rest, ok := bytes.Cut(text, []byte("\n")); ok { // the line "diff a b" says nothing new
		text = rest
	}
	return string(text)
}
