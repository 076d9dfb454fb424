package resolve

import (
	"path"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// workspace finds the root of the project: what the caller says, else the nearest
// directory above that has .git or .tada, else the working directory itself. The working
// directory is the agent's to choose, so what must not be written freely is never a
// workspace.
func (r *resolver) workspace() string {
	p := r.plan
	home := r.real(p.Caller.Home)
	if p.Caller.Root != "" {
		if root := r.real(p.Caller.Root); pathname.MayBeWorkspace(root, home, true) {
			return root
		}
		return ""
	}
	for dir := p.Dir; dir != "/"; dir = path.Dir(dir) {
		if pathname.MayBeWorkspace(dir, home, true) && isRoot(dir) {
			return dir
		}
	}
	if pathname.MayBeWorkspace(p.Dir, home, false) {
		return p.Dir
	}
	return ""
}

// rootMarks are names in the root of a project.
var rootMarks = [...]string{".git", ".tada"}

// isRoot reports whether a directory says that it is the root of a project. Its path has no
// link in it, so that asking by name costs one system call a mark.
func isRoot(dir string) bool {
	for _, mark := range rootMarks {
		var st unix.Stat_t
		if unix.Fstatat(unix.AT_FDCWD, pathname.Join(dir, mark), &st,
			unix.AT_SYMLINK_NOFOLLOW) == nil {
			return true
		}
	}
	return false
}
