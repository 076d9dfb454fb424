package tamper

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// exportName is where a workspace finds the checksums of its protected files.
const exportName = ".tada/checksum"

// What is made here stays out of git's status; the configuration beside it does not.
const (
	ignoreName = ".tada/.gitignore"
	ignored    = "/.gitignore\n/checksum\n/checksum.new\n"
)

// export writes the checksums into the workspace, once something there was written through
// tada-run: one hash alone for one file, else the lines of sha256sum(1). It is for people and other
// programs. Nothing believes it, so that it may fail: a workspace can be read-only.
func (s *Store) export(m *manifest) {
	if !s.o.Export || !slices.ContainsFunc(m.events,
		func(e Event) bool { return e.Action != ActionRegister && e.Action != ActionSetting }) {
		return
	}
	s.writeExport(m)
}

// over reports whether the workspace's checksums are of files that are protected no longer.
func (s *Store) over(m *manifest) bool {
	if !s.o.Export || !s.o.Complete ||
		!slices.ContainsFunc(sortedKeys(m.records),
			func(path string) bool { return !s.protects(m.records[path]) }) {
		return false
	}
	have, err := readOwn(filepath.Join(s.o.Root, exportName))
	return err == nil && string(have) != s.checksums(m)
}

// protects reports whether a file that has a baseline is protected still.
func (s *Store) protects(rec *record) bool {
	return s.o.All || !s.o.Complete || slices.Contains(s.o.Patterns, rec.Pattern) ||
		s.patternOf(rec.Path) != ""
}

func (s *Store) writeExport(m *manifest) {
	text := s.checksums(m)
	have, err := readOwn(filepath.Join(s.o.Root, exportName))
	if text == "" && err != nil || text != "" && err == nil && string(have) == text {
		return
	}
	root, err := os.OpenRoot(s.o.Root) // a link in the workspace must not lead the write out of it
	if err != nil {
		return
	}
	defer root.Close()
	if text == "" { // nothing is protected any more
		_ = root.Remove(exportName)
		if own, err := root.ReadFile(ignoreName); err == nil && string(own) == ignored {
			_ = root.Remove(ignoreName)
		}
		_ = root.Remove(".tada") // only where it is empty
		return
	}
	if err := root.Mkdir(".tada", 0o755); err != nil && !os.IsExist(err) {
		return
	}
	if f, err := root.OpenFile(ignoreName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
		// a file that is there is the person's
		_, _ = f.WriteString(ignored)
		f.Close()
	}
	tmp := exportName + ".new"
	_ = root.Remove(tmp)
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return
	}
	_, err = f.WriteString(text)
	if closing := f.Close(); err != nil || closing != nil || root.Rename(tmp, exportName) != nil {
		_ = root.Remove(tmp)
	}
}

// checksums is the text of the export. Of several files it is the raw hash, which is what sha256sum
// -c reads.
func (s *Store) checksums(m *manifest) string {
	var lines []string
	last := ""
	for _, path := range sortedKeys(m.records) {
		rec := m.records[path]
		rel, err := filepath.Rel(s.o.Root, path)
		if err != nil || !s.protects(rec) || rec.Form != Regular || strings.HasPrefix(rel, "..") ||
			strings.ContainsAny(rel, "\\\n\r") {
			continue // names that sha256sum would have to escape are left out
		}
		lines = append(lines, fmt.Sprintf("%s  %s\n", rec.Raw, rel))
		last = rec.Checksum() + "\n"
	}
	if len(lines) == 1 {
		return last
	}
	return strings.Join(lines, "")
}
