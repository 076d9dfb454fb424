package pathname

import (
	"path"
	"slices"
	"strings"
)

// Within reports whether path is dir or below it, component by component: /etcetera is not
// in /etc.
func Within(path, dir string) bool {
	if dir == "/" {
		return strings.HasPrefix(path, "/")
	}
	return dir != "" && strings.HasPrefix(path, dir) &&
		(len(path) == len(dir) || path[len(dir)] == '/')
}

// Split cuts a path at its slashes; "." and empty components mean nothing to the kernel.
func Split(path string) []string {
	parts := make([]string, 0, 8)
	for part := range strings.SplitSeq(path, "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	return parts
}

// Unescape takes the backslashes of a pattern away.
func Unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// IsSystem reports whether a path is in a directory of the system's programs: only root writes
// there, so inode, size and time identify a program well enough.
func IsSystem(path string) bool { return WithinAny(path, programDirs) }

// ProgramDirs are the directories of the system's programs.
func ProgramDirs() []string { return slices.Clone(programDirs) }

func WithinAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return Within(path, d) })
}

// IsToolDir reports whether a program of the workspace is where the project's own tools are
// installed; those may come before the system's on purpose.
func IsToolDir(path string) bool {
	for _, dir := range []string{"/node_modules/.bin/", "/.venv/bin/", "/venv/bin/", "/vendor/bin/",
		"/env/bin/"} {
		if strings.Contains(path, dir) {
			return true
		}
	}
	return false
}

// neverWorkspaces are written by installers, by the kernel, or not at all. A repository in them
// (etckeeper keeps one in /etc) does not make them a project.
var neverWorkspaces = []string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
	"/libx32", "/boot", "/proc", "/sys", "/dev", "/run", "/nix", "/System", "/Library"}

// MayBeWorkspace reports whether a real directory can be a workspace. Without a mark it is one only
// where people keep projects: a folder of settings in the home is not.
func MayBeWorkspace(dir, home string, marked bool) bool {
	if dir == "/" || IsTemp(dir) || home != "" && Within(home, dir) ||
		WithinAny(dir, neverWorkspaces) || slices.Contains(homesOfAll, dir) ||
		path.Dir(dir) == "/home" {
		return false
	}
	if marked {
		return true
	}
	rest, inHome := strings.CutPrefix(dir, strings.TrimSuffix(home, "/")+"/")
	if inHome && home != "" && strings.HasPrefix(rest, ".") {
		return false
	}
	return !WithinAny(dir, SystemDirs) || inHome && home == rootHome
}

// rootHome is where root keeps projects, as in most containers, and a system directory for every
// other account. The homes of service accounts, /var/www or /var/lib/postgresql, hold what they
// serve.
const rootHome = "/root"

// homesOfAll hold what belongs to others: the homes of all users, mounted disks, served files.
var homesOfAll = []string{"/home", "/Users", "/mnt", "/media", "/srv"}

// IsTemp reports whether a path is a shared directory for temporary files itself.
func IsTemp(full string) bool {
	return slices.Contains(TempDirs, full)
}

// ExpandHome returns the paths that a rule means.
func ExpandHome(path string, homes []string) []string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && rest[0] != '/' {
		return []string{path}
	}
	full := make([]string, 0, len(homes))
	for _, home := range homes {
		full = append(full, home+rest)
	}
	return full
}

func ExpandAll(names, homes []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, ExpandHome(n, homes)...)
	}
	return out
}

func Join(dir, rest string) string {
	switch {
	case rest == "":
		return dir
	case dir == "/":
		return "/" + rest
	}
	return dir + "/" + rest
}
