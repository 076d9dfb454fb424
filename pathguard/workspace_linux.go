package pathguard

import (
	"io"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// workspace finds the root of the project: what the caller says, else the nearest
// directory above that has .git or .tada, else the working directory itself. The working
// directory is the agent's to choose, so what must not be written freely is never a
// workspace, whoever stands in it.
func (r *resolver) workspace() string {
	p := r.plan
	home := r.real(p.Caller.Home)
	if p.Caller.Root != "" {
		if root := r.real(p.Caller.Root); mayBeWorkspace(root, home, true) {
			return root
		}
		return ""
	}
	for dir := p.Dir; dir != "/"; dir = path.Dir(dir) {
		if mayBeWorkspace(dir, home, true) && r.marked(dir) {
			return dir
		}
	}
	if mayBeWorkspace(p.Dir, home, false) {
		return p.Dir
	}
	return ""
}

// marked reports whether a directory says that it is the root of a project.
func (r *resolver) marked(dir string) bool {
	at := r.from(dir)
	if at.fd < 0 {
		return false
	}
	for _, mark := range []string{".git", ".tada"} {
		end := r.walk(at, mark, false)
		end.close()
		if end.missing == "" {
			return true
		}
	}
	return false
}

// real is the path of a name without a symbolic link, by text as far as it does not exist.
func (r *resolver) real(name string) string {
	if name == "" {
		return ""
	}
	end := r.walk(r.root, name, true)
	end.close()
	return join(end.real, end.missing)
}

// maxIgnore bounds what is read of a .gitignore.
const maxIgnore = 64 << 10

// ignored reads the names that the workspace's .gitignore excludes as they stand: no wildcard,
// no deeper path. A file that takes something back with "!" tells nothing here, because then
// the order of all its lines decides.
func (r *resolver) ignored() map[string]bool {
	if r.plan.Workspace == "" {
		return nil
	}
	root := r.from(r.plan.Workspace)
	if root.fd < 0 {
		return nil
	}
	fd, err := unix.Openat(root.fd, ".gitignore", unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	text, err := io.ReadAll(io.LimitReader(reader(fd), maxIgnore))
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name := strings.Trim(strings.TrimSpace(line), "/")
		switch {
		case strings.HasPrefix(name, "!"):
			return nil
		case name != "" && !strings.ContainsAny(name, "#*?[/\\"):
			names[name] = true
		}
	}
	return names
}
