package tamper

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// An archived event is a folder with what a file was and what took its place.
const (
	archiveDir  = "tamper"
	archiveTime = "2006-01-02_15-04-05" // UTC
	staged      = ".new-"               // before the manifest lists it
)

var archiveName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(-\d+)?$`) })

// A Case is the event.json of an archived event.
type Case struct {
	Version   int       `json:"version"` // 1
	Time      string    `json:"time"`    // RFC 3339, UTC
	Local     string    `json:"local"`   // the same on the wall
	Action    Action    `json:"action"`
	User      string    `json:"user"`
	Interface Interface `json:"interface"`
	Path      string    `json:"path"`
	Kind      Kind      `json:"kind"`
	Reason    string    `json:"reason"`
	Auto      bool      `json:"auto"`
	Digest    string    `json:"digest"`
	Original  Seen      `json:"original"`
	Forced    Seen      `json:"forced"`
}

// archive stages the folder of an event and returns the name that it will have. It is made visible
// by publish, after the manifest has taken over the event: an archive without its event does not
// exist, nor the reverse.
func (s *Store) archive(m *manifest, c Case, forced []byte) (string, error) {
	name := s.freeName(m)
	dir := filepath.Join(s.dir, archiveDir, staged+name)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	var original []byte
	if rec := m.records[c.Path]; rec != nil && rec.kept {
		var err error
		if original, err = s.blob(rec.Raw); err != nil {
			return "", err
		}
	}
	text, err := json.MarshalIndent(c, "", "  ")
	err = errors.Join(err,
		shelve(dir, "original", c.Path, c.Original, original),
		shelve(dir, "forced", c.Path, c.Forced, forced),
		replace(dir, "event.json", append(text, '\n')))
	if err != nil {
		_ = os.RemoveAll(dir)
		return "", fmt.Errorf("archive %q: %w", c.Path, err)
	}
	return name, s.at("archived")
}

// shelve writes one side of an event: the content under the file's own ending, or a word for what
// has none.
func shelve(dir, side, path string, seen Seen, content []byte) error {
	switch {
	case seen.Form == Regular && (content != nil || seen.Size == 0):
		return replace(dir, side+filepath.Ext(path), content)
	case seen.Form == Regular:
		return replace(dir, side+".omitted", []byte(seen.Raw+"\n"))
	case seen.Form == Link:
		return replace(dir, side+".link", []byte(seen.Target))
	}
	return replace(dir, side+"."+seen.Form.String(), nil)
}

// freeName is the second of the event, in UTC, with a number where that second has an event
// already.
func (s *Store) freeName(m *manifest) string {
	second := s.o.Now().UTC().Format(archiveTime)
	taken := func(name string) bool {
		if _, err := os.Lstat(filepath.Join(s.dir, archiveDir, name)); err == nil {
			return true
		}
		_, err := os.Lstat(filepath.Join(s.dir, archiveDir, staged+name))
		return err == nil || m.restores(name) ||
			slices.ContainsFunc(m.events, func(e Event) bool { return e.Archive == name })
	}
	name := second
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s-%d", second, n)
	}
	return name
}

// Archives returns the names of the archived events, oldest first.
func (s *Store) Archives() ([]string, error) {
	entries, _ := os.ReadDir(filepath.Join(s.dir, archiveDir))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), staged) {
			// by a process that died just before it could show it
			if err := s.update(func(*manifest) (bool, error) { return false, nil }); err != nil {
				return nil, err
			}
			break
		}
	}
	return s.archives()
}

func (s *Store) archives() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, archiveDir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if archiveName().MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, byAge)
	return names, err
}

// byAge orders names of one second by their number: -10 is younger than -9.
func byAge(a, b string) int {
	if d := strings.Compare(a[:len(archiveTime)], b[:len(archiveTime)]); d != 0 {
		return d
	}
	if d := len(a) - len(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// ArchivePath is the folder of an archived event.
func (s *Store) ArchivePath(name string) string { return filepath.Join(s.dir, archiveDir, name) }

// prune decides which archives go, to make room for more.
func (s *Store) prune(m *manifest, who Who) error {
	names, err := s.archives()
	if err != nil {
		return err
	}
	for _, e := range m.events { // of this very update
		switch {
		case e.Archive == "":
		case e.Action == ActionPruned:
			names = slices.DeleteFunc(names, func(name string) bool { return name == e.Archive })
		case !slices.Contains(names, e.Archive):
			names = append(names, e.Archive)
		}
	}
	for len(names) > s.o.Keep {
		s.tell(m, who, Event{Action: ActionPruned, Archive: names[0], Auto: true,
			Text: "the oldest of more than " + fmt.Sprint(s.o.Keep) + " archived events is gone: " +
				names[0]})
		names = names[1:]
	}
	return nil
}

// Expire deletes what was archived before that moment, and returns how many events that was. Each
// deletion is an event of its own, for the log.
func (s *Store) Expire(who Who, before time.Time) (gone int, err error) {
	names, err := s.Archives()
	if err != nil || len(names) == 0 || !expired(names[0], before) {
		return 0, err
	}
	err = s.update(func(m *manifest) (bool, error) {
		names, err := s.archives()
		for _, name := range names {
			if expired(name, before) {
				s.tell(m, who, Event{Action: ActionPruned, Archive: name,
					Text: "an archived event is older than was wanted, and gone: " + name})
				gone++
			}
		}
		return gone > 0, err
	})
	return gone, err
}

func expired(archive string, before time.Time) bool {
	made, err := time.Parse(archiveTime, archive[:len(archiveTime)])
	return err == nil && made.Before(before)
}

// publish does what a manifest on the disk promises: staged archives get their names, pruned ones
// are deleted, and so are copies without a user; the list of names and the workspace's checksums
// follow.
func (s *Store) publish(m *manifest) error {
	dir := filepath.Join(s.dir, archiveDir)
	for _, e := range m.events {
		from, to := filepath.Join(dir, staged+e.Archive), filepath.Join(dir, e.Archive)
		switch {
		case e.Archive == "":
		case e.Action == ActionPruned:
			if err := os.RemoveAll(to); err != nil {
				return err
			}
		default:
			if err := os.Rename(from, to); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	if entries, err := os.ReadDir(dir); err == nil {
		for _, e := range entries {
			if name, ok := strings.CutPrefix(e.Name(), staged); ok && !m.restores(name) {
				// of a process that died before its event was written
				_ = os.RemoveAll(filepath.Join(dir, e.Name()))
			}
		}
	}
	s.dropBlobs(m)
	if err := s.remember(m); err != nil {
		return err
	}
	s.export(m)
	return s.at("published")
}

// restores reports whether the archive belongs to something that is being put back.
func (m *manifest) restores(name string) bool {
	return slices.ContainsFunc(m.saves, func(v save) bool { return v.event.Archive == name })
}

func (s *Store) newCase(who Who, action Action, f Finding, reason string, auto bool) Case {
	now := s.o.Now()
	return Case{
		Version: 1, Time: stampText(now), Local: now.Local().Format(time.RFC3339), Action: action,
		User: who.User, Interface: who.Interface,
		Path: f.Path, Kind: f.Kind, Reason: reason, Auto: auto, Digest: f.Digest, Original: f.Was,
		Forced: f.Now,
	}
}
