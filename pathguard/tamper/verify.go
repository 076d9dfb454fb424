package tamper

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Finding is one protected file that is not as it was left.
type Finding struct {
	Path   string `json:"path"`
	Kind   Kind   `json:"kind"`
	Was    Seen   `json:"was"`
	Now    Seen   `json:"now"`
	Digest string `json:"digest"` // of all of the above: what a decision about it is bound to
}

// Notes about files that are as they should be.
const (
	NoteEOL     = "eol_only"  // only the ends of lines are written in another way
	NoteHash    = "hash_only" // too long for a copy: it can be checked, and not shown or restored
	NoteFirst   = "first_seen"
	NoteWriting = "writing"    // a run that may do so is writing it just now
	NoteUnread  = "unreadable" // it was never read, so there is nothing that it could differ from
	NoteAdopted = "adopted"    // a run that died was allowed to write it
)

// A Note is a remark about a file that is as it should be.
type Note struct {
	Path string `json:"path"`
	Note string `json:"note"`
}

// A Report is what a verification found.
type Report struct {
	Findings []Finding
	Notes    []Note
	Files    []string // the protected files, sorted
	Hashed   int      // of them, those that had to be read

	fresh   []candidate // protected, and never seen before
	stale   []*record   // the same content under a new stamp
	adopted []Finding
	dead    bool // there are grants of runs that died, or unfinished work
	over    bool // the workspace's checksums are of files that are protected no longer
}

type candidate struct{ path, pattern string }

// Look compares the files with their baselines, and changes nothing. A file whose stamp is the
// baseline's costs one lstat(2); others are read.
func (s *Store) Look() (Report, error) {
	m, err := s.load()
	if err != nil {
		return Report{}, err
	}
	r, err := s.compare(m)
	if err != nil || len(r.Findings) == 0 {
		return r, err
	}
	// A run may have begun, and written, after the baselines were read. While the lock is held,
	// none can begin.
	err = s.update(func(m *manifest) (bool, error) {
		r, err = s.compare(m)
		return false, err
	})
	return r, err
}

// VerifyIntegrity is Look, and then settles what needs no decision: a file that is seen for the
// first time gets its baseline, what a run left that died gets its archive, and stamps are renewed.
// Findings stay what they are.
func (s *Store) VerifyIntegrity(who Who) (Report, error) {
	m, err := s.load()
	if err != nil {
		return Report{}, err
	}
	r, err := s.compare(m)
	if err != nil || len(r.Findings) == 0 && !r.Unsettled() {
		return r, err
	}
	err = s.update(func(m *manifest) (bool, error) {
		if r, err = s.compare(m); err != nil || !r.Unsettled() {
			return false, err
		}
		return s.settle(m, who, &r)
	})
	return r, err
}

// Unsettled reports whether [Store.VerifyIntegrity] has something to write down.
func (r *Report) Unsettled() bool {
	return len(r.fresh) > 0 || len(r.stale) > 0 || len(r.adopted) > 0 || r.dead || r.over
}

// compare is the verification itself. What it needs is read first, so that a change of the
// configuration or of the store in between cannot decide about a file that was read before it.
func (s *Store) compare(m *manifest) (Report, error) {
	var r Report
	if err := s.at("stored"); err != nil {
		return r, err
	}
	seen := map[string]bool{} // of those without a baseline
	r.Files = make([]string, 0, len(m.records))
	protects := make(map[string]bool, len(s.o.Patterns))
	for _, p := range s.o.Patterns {
		protects[p] = true
	}
	scope := func(rec *record) bool { return s.o.All || protects[rec.Pattern] }
	var v view
	defer v.close()
	for _, rec := range m.inOrder() {
		if scope(rec) {
			if err := s.one(m, rec, &v, &r); err != nil {
				return r, err
			}
		}
	}
	for _, p := range s.o.Patterns {
		if err := s.discover(m, p, scope, seen, &r); err != nil {
			return r, err
		}
	}
	for _, g := range m.grants {
		r.dead = r.dead || !s.alive(g.owner)
	}
	r.dead = r.dead || len(m.saves) > 0
	r.over = s.over(m)
	slices.Sort(r.Files)
	slices.SortStableFunc(r.Findings,
		func(a, b Finding) int { return strings.Compare(a.Path, b.Path) })
	return r, s.at("compared")
}

func (s *Store) alive(owner string) bool { return s.o.Alive != nil && s.o.Alive(owner) }

// one compares one file with its baseline.
func (s *Store) one(m *manifest, rec *record, v *view, r *Report) error {
	r.Files = append(r.Files, rec.Path)
	st, err := v.glance(rec.Path)
	same := err == nil && rec.settled && st == rec.stamp
	if same && !s.paranoid || err == nil && rec.Form == Absent && st == (stamp{}) {
		if rec.Form == Regular && !rec.kept {
			r.Notes = append(r.Notes, Note{rec.Path, NoteHash})
		}
		return nil
	}
	r.Hashed++
	now, err := s.read(rec.Path)
	if err != nil {
		return err
	}
	kind := differs(rec.Seen, now)
	switch on := m.grantsOn(rec.Path); {
	case kind == "" && rec.Raw != now.Raw:
		r.Notes = append(r.Notes, Note{rec.Path, NoteEOL})
	case kind == "":
		if s.old(now.stamp) && !same {
			r.stale = append(r.stale, &record{Seen: now, Path: rec.Path})
		}
	case s.anyAlive(on):
		r.Notes = append(r.Notes, Note{rec.Path, NoteWriting})
	case len(on) > 0:
		r.adopted = append(r.adopted, finding(rec.Path, kind, rec.Seen, now))
	case saving(m, rec.Path, now):
	default:
		r.Findings = append(r.Findings, finding(rec.Path, kind, rec.Seen, now))
	}
	return nil
}

func (s *Store) read(path string) (Seen, error) {
	if err := s.at("read"); err != nil {
		return Seen{}, err
	}
	now, _ := look(path, MaxShadow)
	return now, s.at("hashed")
}

func (s *Store) anyAlive(grants []grant) bool {
	return slices.ContainsFunc(grants, func(g grant) bool { return s.alive(g.owner) })
}

// saving reports whether the file is what tada-run was putting there when it died, or is putting
// there now.
func saving(m *manifest, path string, now Seen) bool {
	return slices.ContainsFunc(m.saves, func(v save) bool {
		return v.path == path && v.raw == now.Raw
	})
}

func finding(path string, kind Kind, was, now Seen) Finding {
	return Finding{Path: path, Kind: kind, Was: was, Now: now, Digest: digestOf(path, was, now)}
}

// discover looks for files that a pattern protects and that have no baseline.
func (s *Store) discover(m *manifest, pattern string, scope func(*record) bool,
	seen map[string]bool, r *Report) error {
	names, err := match(s.o.Root, pattern)
	if err != nil {
		return err
	}
	closed := (isGlob(pattern) || len(names) > 1) && m.closed(pattern)
	for _, path := range names {
		rec := m.records[path]
		if seen[path] || rec != nil && scope(rec) {
			continue
		}
		seen[path] = true
		if rec != nil { // another pattern made it protected, which the configuration has no more
			if err := s.one(m, rec, &view{}, r); err != nil {
				return err
			}
			continue
		}
		st, err := glance(path)
		missing := err == nil && st == stamp{}
		if missing && !filepath.IsAbs(pattern) && !s.known(path) {
			continue // a name of the workspace that never existed: it begins when it does
		}
		r.Files = append(r.Files, path)
		switch on := m.grantsOn(path); {
		case s.known(path) || s.exported(path):
			r.Findings = append(r.Findings, s.found(path, BaselineMissing))
		case s.anyAlive(on):
			r.Notes = append(r.Notes, Note{path, NoteWriting})
		case closed && len(on) == 0:
			r.Findings = append(r.Findings, s.found(path, Created))
		case err != nil || !missing && s.found(path, Created).Now.Form == Unreadable:
			r.Notes = append(r.Notes, Note{path, NoteUnread})
		default:
			r.fresh = append(r.fresh, candidate{path, pattern})
			if !missing {
				r.Notes = append(r.Notes, Note{path, NoteFirst})
			}
		}
	}
	return nil
}

func (s *Store) found(path string, kind Kind) Finding {
	now, _ := look(path, MaxShadow)
	return finding(path, kind, Seen{}, now)
}

// closed reports whether the files of a pattern were registered before.
func (m *manifest) closed(pattern string) bool {
	for _, r := range m.records {
		if r.Pattern == pattern {
			return true
		}
	}
	return false
}

// known reports whether a path once had a baseline. The list is separate from the baselines, so
// that a removed baseline can be distinguished from a file that never had one.
func (s *Store) known(path string) bool {
	want := strconv.Quote(path)
	for name := range s.quotedNames {
		if name == want {
			return true
		}
	}
	return false
}

// Names returns every path that ever had a baseline here.
func (s *Store) Names() []string {
	var names []string
	for quoted := range s.quotedNames {
		if name, err := strconv.Unquote(quoted); err == nil { // else a line that a crash cut short
			names = append(names, name)
		}
	}
	return names
}

func (s *Store) quotedNames(yield func(string) bool) {
	text, err := readOwn(filepath.Join(s.dir, "names"))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		if !yield(strings.TrimSuffix(line, "\n")) {
			return
		}
	}
}

// exported reports whether the workspace's own list of checksums names the path. It is not trusted
// to say that a file is good: only to say that there was a baseline when there is none now.
func (s *Store) exported(path string) bool {
	rel, err := filepath.Rel(s.o.Root, path)
	if err != nil || !s.o.Export {
		return false
	}
	text, err := readOwn(filepath.Join(s.o.Root, exportName))
	if err != nil || len(text) > 1<<20 {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if hash, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  "); ok &&
			len(hash) == 64 && name == rel {
			return true
		}
	}
	return false
}

// settle writes down what needs no decision.
func (s *Store) settle(m *manifest, who Who, r *Report) (bool, error) {
	dirty := false
	for _, c := range r.fresh {
		if err := s.register(m, who, c); err != nil {
			return false, err
		}
		dirty = true
	}
	for _, f := range r.adopted {
		run := m.grantsOn(f.Path)[0].id
		e := Event{Action: ActionAdopted, Auto: true,
			Text: "run " + run + " ended unexpectedly; it was allowed to write this"}
		if _, err := s.override(m, who, f.Path, e); err != nil {
			return false, err
		}
		r.Notes = append(r.Notes, Note{f.Path, NoteAdopted})
		dirty = true
	}
	for _, fresh := range r.stale {
		rec := m.records[fresh.Path]
		rec.stamp, rec.settled, dirty = fresh.stamp, true, true
	}
	if r.over {
		s.writeExport(m)
	}
	return s.bury(m) || dirty, nil
}

// bury drops the grants of runs that died.
func (s *Store) bury(m *manifest) bool {
	var living []grant
	for _, g := range m.grants {
		if s.alive(g.owner) {
			living = append(living, g)
		}
	}
	buried := len(living) < len(m.grants)
	m.grants = living
	return buried
}

// baseline makes what is there now the baseline of a file.
func (s *Store) baseline(m *manifest, path, pattern string) error {
	now, content := look(path, MaxShadow)
	if now.Form == Unreadable {
		return fmt.Errorf("protected file %q: %s", path, now.Why)
	}
	return s.adopt(m, path, pattern, now, content)
}

// adopt makes what was seen the baseline of a file. The copy is on the disk before any baseline
// names it, and the old copy stays until none does: see [Store.publish].
func (s *Store) adopt(m *manifest, path, pattern string, now Seen, content []byte) error {
	rec := &record{Seen: now, Path: path, Pattern: pattern, settled: s.old(now.stamp)}
	if now.Form == Regular && now.Size <= MaxShadow {
		if err := s.keepBlob(now.Raw, content); err != nil {
			return err
		}
		rec.kept = true
	}
	m.records[path] = rec
	return nil
}

// register gives a file that is seen for the first time its baseline, and where it is a link into
// the same folder, the file behind it too: to protect a name is to protect what is read through it.
func (s *Store) register(m *manifest, who Who, c candidate) error {
	if err := s.baseline(m, c.path, c.pattern); err != nil {
		return err
	}
	rec := m.records[c.path]
	if rec.Form != Absent {
		s.tell(m, who, Event{Action: ActionRegister, Path: c.path, Checksum: rec.Checksum(),
			Text: "protected from now on"})
	}
	if rec.Form != Link {
		return nil
	}
	real, err := filepath.EvalSymlinks(c.path)
	if err != nil || m.records[real] != nil ||
		!strings.HasPrefix(real, strings.TrimSuffix(s.o.Root, "/")+"/") {
		return nil
	}
	return s.register(m, who, candidate{real, c.pattern})
}
