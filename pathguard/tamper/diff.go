package tamper

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// A Diff is the difference of one file from its baseline, as a person reads it.
type Diff struct {
	Finding
	Text string // inert: see [Inert]
}

// Diff returns the difference of one file, whole: what would be left out would be accepted unseen.
// The errors are [ErrClean] and [ErrUnknownPath].
func (s *Store) Diff(path string) (Diff, error) {
	var d Diff
	err := s.look(path, func(m *manifest, f Finding) (bool, error) {
		var err error
		d, err = s.diff(m, f)
		return false, err
	})
	return d, err
}

// Show is Diff, and remembers that a person was shown it: only that can be accepted afterwards.
func (s *Store) Show(who Who, path string) (Diff, error) {
	var d Diff
	err := s.look(path, func(m *manifest, f Finding) (bool, error) {
		var err error
		if d, err = s.diff(m, f); err != nil {
			return false, err
		}
		if m.shown[path] == f.Digest {
			return false, nil
		}
		m.shown[path] = f.Digest
		s.tell(m, who, Event{Action: ActionShown, Path: path, Kind: f.Kind, Digest: f.Digest,
			Was: f.Was.Checksum(), Checksum: f.Now.Checksum(), Text: "the difference was shown"})
		return true, nil
	})
	return d, err
}

func (s *Store) diff(m *manifest, f Finding) (Diff, error) {
	rel, err := filepath.Rel(s.o.Root, f.Path)
	if err != nil || strings.HasPrefix(rel, "../") {
		rel = f.Path
	}
	var b strings.Builder
	name := Inert(rel)
	fmt.Fprintf(&b, "# %s: %s\n", name, f.Kind)
	if f.Was.Form != f.Now.Form || f.Kind == BaselineMissing {
		fmt.Fprintf(&b, "# was: %s\n# now: %s\n", f.Was, f.Now)
	}
	if f.Was.Form == Regular && f.Now.Form == Regular && f.Was.Mode != f.Now.Mode {
		fmt.Fprintf(&b, "# old mode %04o\n# new mode %04o\n", f.Was.Mode, f.Now.Mode)
	}
	if f.Was.Target != f.Now.Target {
		fmt.Fprintf(&b, "# old target %s\n# new target %s\n", dash(Inert(f.Was.Target)),
			dash(Inert(f.Now.Target)))
	}
	if f.Was.Real != f.Now.Real && f.Now.Form != Absent {
		fmt.Fprintf(&b, "# its folder is really %s\n", Inert(f.Now.Real))
	}
	if err := s.contents(&b, m, f, name); err != nil {
		return Diff{}, err
	}
	fmt.Fprintf(&b, "# digest: %s\n", f.Digest)
	return Diff{f, b.String()}, nil
}

// contents writes the unified difference of the contents.
func (s *Store) contents(b *strings.Builder, m *manifest, f Finding, name string) error {
	if f.Was.Raw == f.Now.Raw || f.Was.Form != Regular && f.Now.Form != Regular {
		return nil
	}
	was, wasKept, err := s.original(m, f)
	if err != nil {
		return err
	}
	now, content := look(f.Path, MaxShadow)
	if digestOf(f.Path, f.Was, now) != f.Digest {
		return fmt.Errorf("%q: %w", f.Path, ErrChangedSince)
	}
	if !wasKept || now.Form == Regular && content == nil && now.Size > 0 {
		fmt.Fprintf(b, "# the content is not kept (hash only):\n# was %s, SHA-256 %s\n"+
			"# now %s, SHA-256 "+
			"%s\n", f.Was.length(), dash(f.Was.Raw), f.Now.length(), dash(f.Now.Raw))
		return nil
	}
	if now.Form != Regular {
		content = nil
	}
	text := diff.Diff("a/"+name, marked(was), "b/"+name, marked(content))
	if _, rest, ok := bytes.Cut(text, []byte("\n")); ok { // the line "diff a b" says nothing new
		text = rest
	}
	b.Write(text)
	return nil
}

func (s *Store) original(m *manifest, f Finding) (content []byte, kept bool, err error) {
	rec := m.records[f.Path]
	switch {
	case rec == nil || rec.Form != Regular:
		return nil, true, nil
	case !rec.kept:
		return nil, false, nil
	}
	content, err = s.blob(rec.Raw)
	if errors.Is(err, ErrNotKept) {
		return nil, false, nil
	}
	return content, true, err
}

// marked makes every line inert before the lines are compared, so that lines that only look the
// same differ, and the difference can be seen.
func marked(content []byte) []byte {
	if len(content) == 0 {
		return nil
	}
	var b strings.Builder
	for line := range strings.Lines(string(content)) {
		text, whole := strings.CutSuffix(line, "\n")
		b.WriteString(Inert(text))
		if whole {
			b.WriteByte('\n')
		}
	}
	return []byte(b.String())
}
