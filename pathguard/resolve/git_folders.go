package resolve

import (
	"path"
	"strings"
)

// Where git finds a repository, as setup.c of git does it. What git would pass over, and look
// further up for another one, is not certain here: the next version of git may not.

// gitFolders finds the repository that a directory is in. It is not sure where something looks like
// one and is not valid; top is where that is.
func (r *resolver) gitFolders(dir string) (g gitFolders, sure bool) {
	for top := dir; strings.HasPrefix(top, "/"); top = path.Dir(top) {
		if r.isThere(top + "/.git") {
			g = gitFolders{top: top, place: r.gitFile(top)}
			g.common, sure = r.gitCommon(g.place)
			return g, sure && r.isRepository(g)
		}
		if r.isThere(top+"/HEAD") && r.isThere(top+"/objects") { // a bare one
			g = gitFolders{top, top, top}
			return g, !r.isThere(top+"/commondir") && r.isRepository(g)
		}
		if top == "/" {
			break
		}
	}
	return gitFolders{}, true
}

// gitFile returns where the .git of a work tree is, which may be a file that says so: that of a
// worktree or a submodule (gitrepository-layout(5)).
func (r *resolver) gitFile(top string) string {
	to, ok := strings.CutPrefix(r.smallFile(top+"/.git"), "gitdir: ")
	if !ok {
		return top + "/.git"
	}
	if to = strings.TrimRight(to, "\r\n"); !strings.HasPrefix(to, "/") {
		to = top + "/" + to
	}
	return path.Clean(to)
}

// gitCommon returns $GIT_COMMON_DIR.
func (r *resolver) gitCommon(place string) (common string, sure bool) {
	to, ok := r.settingsFile(place + "/commondir")
	if to = strings.TrimRight(to, "\r\n"); to == "" {
		return place, ok && !r.isThere(place+"/commondir")
	}
	if !strings.HasPrefix(to, "/") {
		to = place + "/" + to
	}
	return path.Clean(to), true
}

// isRepository reports whether git takes folders for a repository.
func (r *resolver) isRepository(g gitFolders) bool {
	head := r.smallFile(g.place + "/HEAD")
	ref, symbolic := strings.CutPrefix(head, "ref:")
	valid := symbolic && strings.HasPrefix(strings.TrimLeft(ref, " \t\r\n"), "refs/") ||
		isHash(strings.TrimRight(head, "\n"))
	return valid && r.isPlainFile(g.place+"/HEAD") && r.isFolder(g.common+"/objects") &&
		r.isFolder(g.common+"/refs")
}

// isHash reports whether a text is a name of an object.
func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
