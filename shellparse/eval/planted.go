package eval

import (
	"cmp"
	"path"
	"strings"

	"github.com/tada-run/tada-run/shellparse/code"
)

// planted returns the first file that the script has taken from another machine, or decoded, and
// that is meant by a name: one that a pattern may fit, or one below a folder, whose own name fits
// base. It is nil if there is none. A name of data is meant by nothing but itself.
func (s *state) planted(n Name, base string) *written {
	pattern := n.Text
	if n.Dir != "" || !strings.HasPrefix(pattern, "/") {
		pattern = cmp.Or(n.Dir, ".") + "/" + pattern
	}
	if pattern = path.Clean(pattern); !n.Glob && base == "" {
		base = "*"
	}
	fixed := path.Dir(pattern[:wildcard(pattern)] + "x")
	if !n.Glob {
		fixed = pattern
	}
	for i := range s.files {
		f := &s.files[i]
		if !planted(f.flow.source()) {
			continue
		}
		fits, err := path.Match(pattern, f.name)
		switch in := within(f.name, fixed); {
		case n.Glob && (fits || err != nil), f.tree && (in || within(fixed, f.name)):
			return f
		case base == "" || !in || code.IsData(f.name):
		case base == "*", fitsBase(base, f.name):
			return f
		}
	}
	return nil
}

// wildcard is where the first special character of a pattern is, or its length.
func wildcard(pattern string) int {
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		return i
	}
	return len(pattern)
}

// fitsBase reports whether the last component of a name may fit a pattern.
func fitsBase(pattern, name string) bool {
	ok, err := path.Match(pattern, path.Base(name))
	return ok || err != nil
}

// within reports whether a clean name is a folder or below it.
func within(name, dir string) bool {
	return name == dir || dir == "/" || strings.HasPrefix(name, dir+"/")
}
