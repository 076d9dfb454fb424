package resolve

import (
	"path"
	"strings"
)

// Where git finds a repository, as setup.c of git does it. What git would pass over, and look
// further up for another one, is not certain here: the next version of git may not.

// gitFolders finds the repository that a directory is in: its work tree, $GIT_DIR and
// $GIT_COMMON_DIR; "" if it is in none. It is not sure where something looks like a repository and
// is not a valid one; top is where that is.
func (r *resolver) gitFolders(dir string) (top, place, common string, sure bool) {
	for top = dir; strings.HasPrefix(top, "/"); top = path.Dir(top) {
		if r.isThere(top + "/.git") {
			place = r.gitFile(top)
			common, sure = r.gitCommon(place)
			return top, place, common, sure && r.isGitFolder(place, common)
		}
		if r.isThere(top+"/HEAD") && r.isThere(top+"/objects") { // a bare one
			return top, top, top, !r.isThere(top+"/commondir") && r.isGitFolder(top, top)
		}
		if top == "/" {
			break
		}
	}
	return "", "", "", true
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

// isGitFolder reports whether git takes a directory for a repository.
func (r *resolver) isGitFolder(place, common string) bool {
	head := r.smallFile(place + "/HEAD")
	ref, symbolic := strings.CutPrefix(head, "ref:")
	return (symbolic && strings.HasPrefix(strings.TrimLeft(ref, " \t\r\n"), "refs/") ||
		isHash(strings.TrimRight(head, "\n"))) && r.isPlainFile(place+"/HEAD") &&
		r.isFolder(common+"/objects") && r.isFolder(common+"/refs")
}

// isHash reports whether a text is a name of an object.
func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
