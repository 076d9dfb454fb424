package gitmeta

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// locate finds the root that an absolute name is in, with all links followed; the end of the name
// need not exist.
func (s *Snapshot) locate(name string) (place, bool) {
	real, rest := name, ""
	for {
		to, err := filepath.EvalSymlinks(real)
		if err == nil {
			real = filepath.Join(to, rest)
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || real == filepath.Dir(real) {
			return place{}, false
		}
		rest = filepath.Join(filepath.Base(real), rest)
		real = filepath.Dir(real)
	}
	for i, t := range s.roots {
		if real == t.real {
			return place{i, "."}, true
		}
		if below, ok := strings.CutPrefix(real, strings.TrimSuffix(t.real, "/")+"/"); ok {
			return place{i, below}, true
		}
	}
	return place{}, false
}

// from returns name as it is meant in a folder below root i.
func (s *Snapshot) from(i int, dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.roots[i].real, dir, name)
}

// pointer notes where a file .git points and reports whether that is in one of the roots.
func (w *walker) pointer(name string, f file) bool {
	target, ok := strings.CutPrefix(f.data, "gitdir:")
	if target = strings.TrimSpace(target); !ok || target == "" || f.link() {
		return true // git reads no such file; a link is reported as a link
	}
	s := w.snapshot
	i := 0
	for s.roots[i] != w.tree {
		i++
	}
	to, ok := s.locate(s.from(i, path.Dir(name), target))
	if ok {
		s.links = append(s.links, link{place{i, path.Dir(name)}, to})
	}
	return ok
}
