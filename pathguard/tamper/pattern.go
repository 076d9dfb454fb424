package tamper

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of the search for files that match a pattern.
const (
	maxMatches = 10_000
	maxWalked  = 50_000 // names
)

// isGlob reports whether a pattern means more than one name.
func isGlob(pattern string) bool { return strings.ContainsAny(pattern, `*?[`) }

// Covers reports whether a path is protected, or would be if there were a file.
func (s *Store) Covers(path string) bool {
	for _, p := range s.o.Patterns {
		if !filepath.IsAbs(p) {
			p = filepath.Join(s.o.Root, p)
		}
		p = filepath.Clean(p)
		if p == path || strings.HasPrefix(path, p+"/") ||
			covers(strings.Split(p, "/"), strings.Split(path, "/")) {
			return true
		}
	}
	return false
}

// covers reports whether a whole path fits a whole pattern.
func covers(pattern, name []string) bool {
	switch {
	case len(pattern) == 0 || len(name) == 0:
		return len(pattern) == len(name)
	case pattern[0] == "**" && len(pattern) == 1:
		return true
	case pattern[0] == "**":
		return covers(pattern[1:], name) || covers(pattern, name[1:])
	}
	ok, err := filepath.Match(pattern[0], name[0])
	return ok && err == nil && covers(pattern[1:], name[1:])
}

// match returns the names below root that a pattern of security.protect means: a literal name,
// existing or not, or every file that matches. "**" is any depth; links to directories are not
// followed. The names are absolute.
func match(root, pattern string) ([]string, error) {
	full := pattern
	if !filepath.IsAbs(full) {
		full = filepath.Join(root, pattern)
	}
	full = filepath.Clean(full)
	if !isGlob(full) {
		if info, err := os.Lstat(full); err != nil || !info.IsDir() {
			return []string{full}, nil
		}
		full += "/**" // a directory is what is in it
	}
	base := full[:strings.IndexAny(full, `*?[`)]
	base = base[:strings.LastIndexByte(base, '/')]
	rest := strings.Split(strings.TrimPrefix(full[len(base):], "/"), "/")
	w := walker{}
	w.walk(base, rest)
	if w.names > maxWalked || len(w.found) > maxMatches {
		return nil, ErrTooMany
	}
	if slices.Contains(rest, "**") { // which may lead to a name in two ways
		slices.Sort(w.found)
		w.found = slices.Compact(w.found)
	}
	return w.found, nil
}

// A walker collects the files below a directory that fit a pattern.
type walker struct {
	found []string
	names int
}

// walk looks through one directory. What cannot be listed cannot be protected by a pattern: a name
// can.
func (w *walker) walk(dir string, pattern []string) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	entries, _ := f.ReadDir(-1)
	f.Close()
	if w.names += len(entries); w.names > maxWalked || len(w.found) > maxMatches {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() {
			if fits(pattern, name) {
				w.found = append(w.found, dir+"/"+name)
			}
			continue
		}
		if name == ".git" && pattern[0] == "**" {
			continue // what changes with every command of git, and is git's to protect
		}
		for _, rest := range below(pattern, name) {
			w.walk(dir+"/"+name, rest)
		}
	}
}

// fits reports whether a pattern means a file of this name in this directory.
func fits(pattern []string, name string) bool {
	for len(pattern) > 1 && pattern[0] == "**" {
		pattern = pattern[1:]
	}
	if len(pattern) != 1 {
		return false
	}
	if pattern[0] == "**" {
		return true
	}
	ok, err := path.Match(pattern[0], name)
	return ok && err == nil
}

// below are the patterns for what is in a directory of this name: "**" is any depth, none among
// them, so that it stays, and what follows it may begin here.
func below(pattern []string, name string) [][]string {
	if pattern[0] == "**" {
		for len(pattern) > 1 && pattern[1] == "**" {
			pattern = pattern[1:]
		}
		rests := [][]string{pattern}
		if len(pattern) > 2 {
			if ok, err := path.Match(pattern[1], name); ok && err == nil {
				rests = append(rests, pattern[2:])
			}
		}
		return rests
	}
	if ok, err := path.Match(pattern[0], name); !ok || err != nil || len(pattern) == 1 {
		return nil
	}
	return [][]string{pattern[1:]}
}
