package pathname

import (
	"path"
	"slices"
	"strings"
)

func AnyDeep(names []string, dir, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return IsDeep(n, dir, name) })
}

// IsDeep reports whether a built-in name of any depth is this name in this directory.
func IsDeep(builtin, dir, name string) bool {
	if builtin[0] != '*' {
		return false
	}
	builtin = builtin[len("**/"):]
	if cut := strings.LastIndexByte(builtin, '/'); cut >= 0 {
		return builtin[cut+1:] == name && builtin[:cut] == path.Base(dir)
	}
	return Covers(builtin, name)
}

func SortUnique(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Covers reports whether a name, which may hold "*", is the path or a directory above it.
// Both start in the same directory.
func Covers(name, path string) bool {
	i := 0
	for i < len(name) && name[i] != '*' {
		if i >= len(path) || path[i] != name[i] {
			return false
		}
		i++
	}
	if i == len(name) {
		return len(path) == i || path[i] == '/'
	}
	start := strings.LastIndexByte(name[:i], '/') + 1
	part, rest, more := strings.Cut(name[start:], "/")
	have, left, deeper := strings.Cut(path[start:], "/")
	if have == "" || !(Pattern{Text: part}).Match(have) {
		return false
	}
	return !more || deeper && Covers(rest, left)
}
