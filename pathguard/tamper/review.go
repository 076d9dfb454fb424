package tamper

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Accept makes the present state the baseline of one file, because a person who was shown exactly
// that state accepts it. The digest is the one that [Store.Show] returned; "" means the last that
// was shown of this file. Both versions are archived. The errors are [ErrNoReason],
// [ErrUnknownPath], [ErrClean], [ErrNotShown] and [ErrChangedSince]; after any of them nothing has
// changed.
func (s *Store) Accept(who Who, path, digest, reason string) (Event, error) {
	var told Event
	if strings.TrimSpace(reason) == "" {
		return told, ErrNoReason
	}
	err := s.review(path, func(m *manifest, f Finding) error {
		shown := m.shown[path]
		switch {
		case shown == "":
			return ErrNotShown
		case shown != f.Digest || digest != "" && digest != f.Digest:
			return ErrChangedSince
		}
		var err error
		told, err = s.override(m, who, path,
			Event{Action: ActionAccept, Kind: f.Kind, Digest: f.Digest,
				Text: "Accepted external changes: " + reason})
		return err
	})
	return told, err
}

// Pass accepts findings without a review, because tamper_proof is off. The present state is
// archived and becomes the baseline.
func (s *Store) Pass(who Who, findings []Finding) ([]Event, error) {
	var told []Event
	err := s.update(func(m *manifest) (bool, error) {
		now, err := s.compare(m)
		if err != nil {
			return false, err
		}
		for _, f := range now.Findings {
			if !has(findings, f.Path) {
				continue
			}
			e, err := s.override(m, who, f.Path,
				Event{Action: ActionDetected, Kind: f.Kind, Digest: f.Digest, Auto: true,
					Text: "(passive) " + string(f.Kind) +
						" from outside, accepted automatically (tamper_proof is off)"})
			if err != nil {
				return false, err
			}
			told = append(told, e)
		}
		return len(told) > 0, nil
	})
	return told, err
}

func has(findings []Finding, path string) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Path == path })
}

// Detected writes down that findings stopped something: each once, however often it is tried again.
func (s *Store) Detected(who Who, findings []Finding) error {
	if len(findings) == 0 {
		return nil
	}
	m, err := s.load()
	if err != nil {
		return err
	}
	fresh := func(m *manifest, f Finding) bool { return m.told[f.Path] != f.Digest }
	known := true
	for _, f := range findings {
		known = known && !fresh(m, f)
	}
	if known {
		return nil
	}
	return s.update(func(m *manifest) (bool, error) {
		for _, f := range findings {
			if fresh(m, f) {
				m.told[f.Path] = f.Digest
				s.tell(m, who, Event{Action: ActionDetected, Path: f.Path, Kind: f.Kind,
					Was: f.Was.Checksum(), Checksum: f.Now.Checksum(), Digest: f.Digest,
					Text: string(f.Kind) + " from outside"})
			}
		}
		return true, nil
	})
}

// review runs a decision about the finding of one path.
func (s *Store) review(path string, decide func(*manifest, Finding) error) error {
	return s.look(path, func(m *manifest, f Finding) (bool, error) {
		err := decide(m, f)
		return err == nil, err
	})
}

// look finds the finding of one path; what the function returns true for is written down.
func (s *Store) look(path string, use func(*manifest, Finding) (bool, error)) error {
	return s.update(func(m *manifest) (bool, error) {
		r, err := s.compare(m)
		if err != nil {
			return false, err
		}
		for _, f := range r.Findings {
			if f.Path == path {
				return use(m, f)
			}
		}
		for _, known := range r.Files {
			if known == path {
				return false, fmt.Errorf("%q: %w", path, ErrClean)
			}
		}
		return false, fmt.Errorf("%q: %w; try: tadactl tamper status", path, ErrUnknownPath)
	})
}

// override archives both versions of a file and makes the one on the disk its baseline.
func (s *Store) override(m *manifest, who Who, path string, e Event) (Event, error) {
	was, pattern := Seen{}, s.patternOf(path)
	if rec := m.records[path]; rec != nil {
		was, pattern = rec.Seen, rec.Pattern
	}
	now, content := look(path, MaxShadow)
	if e.Action == ActionAccept && digestOf(path, was, now) != e.Digest {
		return e, ErrChangedSince
	}
	if now.Form == Unreadable {
		return e, fmt.Errorf("protected file %q: %s", path, now.Why)
	}
	f := finding(path, differs(was, now), was, now)
	if e.Kind == "" {
		e.Kind = f.Kind
	}
	name, err := s.archive(m, s.newCase(who, e.Action, f, e.Text, e.Auto), content)
	if err != nil {
		return e, err
	}
	if err := s.adopt(m, path, pattern, now, content); err != nil {
		return e, err
	}
	delete(m.shown, path)
	delete(m.told, path)
	e.Path, e.Was, e.Checksum, e.Archive = path, was.Checksum(), now.Checksum(), name
	e = s.tell(m, who, e)
	return e, s.prune(m, who)
}

// Restore puts a file back to its baseline, after archiving the present state. A file that has no
// content in the baseline is removed. The errors are [ErrUnknownPath], [ErrClean], [ErrNotKept],
// [ErrInTheWay] and [ErrElsewhere].
func (s *Store) Restore(who Who, path string) (Event, error) {
	var told Event
	err := s.review(path, func(m *manifest, f Finding) error {
		rec := m.records[path]
		switch {
		case f.Kind == Moved, f.Now.Real != f.Was.Real && f.Now.Form != Absent && f.Kind != Created:
			return fmt.Errorf("%q: %w", path, ErrElsewhere)
		case rec == nil && f.Kind == BaselineMissing,
			rec != nil && rec.Form == Regular && !rec.kept:
			return fmt.Errorf("%q: %w", path, ErrNotKept)
		}
		_, content := look(path, MaxShadow)
		name, err := s.archive(m, s.newCase(who, ActionRestore, f, "", false), content)
		if err != nil {
			return err
		}
		e := Event{Action: ActionRestore, Path: path, Kind: f.Kind, Digest: f.Digest,
			Was: f.Now.Checksum(), Checksum: f.Was.Checksum(), Archive: name, Text: "restored"}
		delete(m.shown, path)
		delete(m.told, path)
		told = e
		return s.putBack(m, who, f, rec, e)
	})
	return told, err
}

// putBack makes the disk what the baseline says.
func (s *Store) putBack(m *manifest, who Who, f Finding, rec *record, e Event) error {
	if f.Now.Form == Directory {
		if err := os.Remove(f.Path); err != nil {
			return fmt.Errorf("%q: %w", f.Path, ErrInTheWay)
		}
	}
	if rec != nil && rec.Form == Regular {
		content, err := s.blob(rec.Raw)
		if err == nil {
			err = s.put(m, who, f.Path, rec.Pattern, content, fileMode(rec.Mode), e)
		}
		if err == nil {
			err = s.prune(m, who)
		}
		return err
	}
	return errors.Join(s.putLink(m, who, f, rec, e), s.prune(m, who))
}

// putLink restores what has no content: a link, or nothing.
func (s *Store) putLink(m *manifest, who Who, f Finding, rec *record, e Event) error {
	raw := ""
	if rec != nil {
		raw = rec.Raw
	}
	e.User, e.Interface, e.Task, e.Session = who.User, who.Interface, who.Task, who.Session
	if rec == nil {
		m.records[f.Path] = &record{Path: f.Path, Pattern: s.patternOf(f.Path)}
	}
	m.saves = append(m.saves, save{path: f.Path, raw: raw, event: e})
	if err := s.commit(m); err != nil {
		return err
	}
	err := s.unplace(f.Path, rec)
	if err == nil {
		err = syncDir(filepath.Dir(f.Path))
	}
	if err != nil {
		return err
	}
	return s.finishSaves(m)
}

// unplace puts a link in place, in one step, or takes away what should not be there.
func (s *Store) unplace(path string, rec *record) error {
	if rec == nil || rec.Form != Link {
		if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	tmp := filepath.Join(filepath.Dir(path), ".tada-"+rec.Raw[:16])
	_ = os.Remove(tmp)
	if err := os.Symlink(rec.Target, tmp); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
