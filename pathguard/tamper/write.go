package tamper

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Begin says that a run is about to start that may write these files, as its verdict allows. It
// returns when that is on the disk. Until [Store.UpdateIntegrity] ends it, a change of them is no
// tampering while the owner lives, and is adopted and archived when it died.
func (s *Store) Begin(id, owner string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return s.update(func(m *manifest) (bool, error) {
		m.grants = append(m.grants, grant{id: id, owner: owner, paths: slices.Clone(paths)})
		return true, nil
	})
}

// UpdateIntegrity ends what Begin began: the files that the run was allowed to write, and no
// others, get what is there now as their baseline. It returns what changed.
func (s *Store) UpdateIntegrity(who Who, id string) ([]Event, error) {
	var told []Event
	err := s.update(func(m *manifest) (bool, error) {
		at := slices.IndexFunc(m.grants, func(g grant) bool { return g.id == id })
		if at < 0 {
			return false, nil
		}
		paths := m.grants[at].paths
		m.grants = slices.Delete(m.grants, at, at+1)
		for _, path := range paths {
			e, err := s.written(m, who, path)
			if err != nil {
				return false, err
			}
			if e != nil {
				told = append(told, *e)
			}
		}
		return true, nil
	})
	return told, err
}

// written takes over what a run, or tada-run, wrote. It returns nil when nothing changed.
func (s *Store) written(m *manifest, who Who, path string) (*Event, error) {
	was, known := Seen{}, m.records[path]
	pattern := ""
	if known != nil {
		was, pattern = known.Seen, known.Pattern
	} else if pattern = s.patternOf(path); pattern == "" {
		return nil, nil
	}
	now, err := s.read(path)
	if err != nil {
		return nil, err
	}
	if differs(was, now) == "" && was.Raw == now.Raw {
		return nil, nil
	}
	if err := s.baseline(m, path, pattern); err != nil {
		return nil, err
	}
	e := s.tell(m, who, Event{Action: ActionWrite, Path: path, Was: was.Checksum(),
		Checksum: m.records[path].Checksum(), Text: "written by a permitted run"})
	return &e, nil
}

// patternOf is the pattern that protects a path, "" for none.
func (s *Store) patternOf(path string) string {
	for _, p := range s.o.Patterns {
		names, err := match(s.o.Root, p)
		if err == nil && slices.Contains(names, path) {
			return p
		}
	}
	return ""
}

// Save writes a protected file on tada-run's own behalf, and its baseline with it: whatever step a
// process dies at, the file is the old one under its old baseline or the new one under the new. The
// file is protected from then on, by the pattern given.
func (s *Store) Save(who Who, path, pattern string, content []byte, mode os.FileMode) error {
	return s.update(func(m *manifest) (bool, error) {
		if rec := m.records[path]; rec != nil {
			if now, _ := look(path, MaxShadow); differs(rec.Seen, now) != "" {
				return false, &TamperError{Root: s.o.Root,
					Findings: []Finding{finding(path, differs(rec.Seen, now), rec.Seen, now)}}
			}
		}
		e := Event{Action: ActionWrite, Path: path, Checksum: CalculateChecksum(path, content),
			Text: "written by tada-run"}
		return true, s.put(m, who, path, pattern, content, mode, e)
	})
}

// Replace is Save over a file that its owner's program may be writing, too: was is what the caller
// read there, nil for no file. When something else is there at the last moment, nothing is written
// and the error is [ErrChangedSince].
func (s *Store) Replace(who Who, path string, was, content []byte, mode os.FileMode) error {
	return s.update(func(m *manifest) (bool, error) {
		still := func() error { return unchanged(path, was) }
		if err := still(); err != nil {
			return false, err
		}
		e := Event{Action: ActionWrite, Path: path, Checksum: CalculateChecksum(path, content),
			Text: "written by tada-run"}
		return true, s.putIf(still, m, who, path, path, content, mode, e)
	})
}

// Remove removes a file that its owner's program may be writing, too, as Replace writes one.
func Remove(path string, was []byte) error {
	if err := unchanged(path, was); err != nil {
		return err
	}
	return os.Remove(path)
}

// unchanged returns ErrChangedSince unless a file is what it was, nil for none.
func unchanged(path string, was []byte) error {
	now, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if (err != nil) != (was == nil) || !bytes.Equal(now, was) {
		return ErrChangedSince
	}
	return nil
}

// Protect gives a file a baseline on request, without a pattern: a registration that was just made.
// With [Options].All it is checked from then on. A file that already has a baseline keeps it.
func (s *Store) Protect(who Who, path string) error {
	return s.update(func(m *manifest) (bool, error) {
		if m.records[path] != nil {
			return false, nil
		}
		return true, s.register(m, who, candidate{path, path})
	})
}

// Release ends the protection that Protect or Save gave, because a person took the registration
// back. The file stays as it is; one that a pattern names is protected again at the next look.
func (s *Store) Release(who Who, path string) error {
	return s.update(func(m *manifest) (bool, error) {
		if m.records[path] == nil {
			return false, nil
		}
		delete(m.records, path)
		s.tell(m, who, Event{Action: ActionSetting, Path: path, Text: "no longer protected"})
		return true, nil
	})
}

// put puts a content in place: intent, file, baseline. The intent is what recover finishes.
func (s *Store) put(m *manifest, who Who, path, pattern string, content []byte, mode os.FileMode,
	e Event) error {
	return s.putIf(always, m, who, path, pattern, content, mode, e)
}

// putIf is put, unless still returns an error at the last moment.
func (s *Store) putIf(still func() error, m *manifest, who Who, path, pattern string,
	content []byte, mode os.FileMode, e Event) error {
	raw := hexSum(content)
	if err := s.keepBlob(raw, content); err != nil {
		return err
	}
	e.User, e.Interface, e.Task, e.Session = who.User, who.Interface, who.Task, who.Session
	if m.records[path] == nil { // what is there now is what it is when we die
		if err := s.baseline(m, path, pattern); err != nil {
			return err
		}
	}
	m.saves = append(m.saves, save{path: path, raw: raw, event: e})
	if err := s.commit(m); err != nil {
		return err
	}
	if err := s.at("save"); err != nil {
		return err
	}
	if err := placeIf(still, path, content, mode); err != nil {
		m.saves = nil
		return fmt.Errorf("write %q: %w", path, err)
	}
	if err := s.at("saved"); err != nil {
		return err
	}
	return s.finishSaves(m)
}

func always() error { return nil }

// placeIf puts a file where it belongs by a new name beside it, so that no reader finds half of it,
// unless still returns an error at the last moment. The file has the owner of the old one.
func placeIf(still func() error, path string, content []byte, mode os.FileMode) error {
	dir := filepath.Dir(path)
	// a random name: in that folder others may have put links under names that we would choose
	f, err := os.CreateTemp(dir, ".tada-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = giveTo(f, path)
	}
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = still()
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return syncDir(dir)
}

// giveTo gives a new file the owner and the group of the one at path, which it takes the place of.
func giveTo(f *os.File, path string) error {
	old, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	fresh, freshErr := f.Stat()
	if err = errors.Join(err, freshErr); err != nil {
		return err
	}
	was, now := old.Sys().(*syscall.Stat_t), fresh.Sys().(*syscall.Stat_t)
	if was.Uid == now.Uid && was.Gid == now.Gid {
		return nil
	}
	return f.Chown(int(was.Uid), int(was.Gid))
}

// finishSaves ends every intent: where the file is the new one, so becomes its baseline; else
// nothing happened, and the baseline stays what it was.
func (s *Store) finishSaves(m *manifest) error {
	if len(m.saves) == 0 {
		return nil
	}
	for _, v := range m.saves {
		rec, pattern := m.records[v.path], ""
		if rec != nil {
			pattern = rec.Pattern
		}
		now, _ := look(v.path, MaxShadow)
		if now.Raw != v.raw || v.raw == "" && now.Form != Absent {
			continue
		}
		if err := s.baseline(m, v.path, pattern); err != nil {
			return err
		}
		e := v.event
		s.tell(m, Who{User: e.User, Interface: e.Interface, Task: e.Task, Session: e.Session}, e)
	}
	m.saves = nil
	return s.commit(m)
}

// remember adds the paths of the baselines to the list of names that had one.
func (s *Store) remember(m *manifest) error {
	listed, err := readOwn(filepath.Join(s.dir, "names"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	known := make(map[string]bool, len(m.records))
	for line := range strings.Lines(string(listed)) {
		known[strings.TrimSuffix(line, "\n")] = true
	}
	var text []byte
	if len(listed) > 0 && listed[len(listed)-1] != '\n' {
		text = append(text, '\n') // a line that a crash cut short stays apart
	}
	for _, path := range sortedKeys(m.records) {
		if q := strconv.Quote(path); !known[q] {
			text = append(append(text, q...), '\n')
		}
	}
	if len(text) == 0 {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(s.dir, "names"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
