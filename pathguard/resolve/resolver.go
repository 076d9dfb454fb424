package resolve

import (
	"path"

	"github.com/tada-run/tada-run/pathguard/passwd"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
)

type resolver struct {
	*walk.Walker
	plan  *Plan
	dirs  map[string]walk.Dir // the starting directories that were opened, by their spelling
	bound map[string]bool     // contents by path
	share *opening
	depth int             // of files that execute files
	given map[string]bool // see givenTo
	// the repositories that were looked for, by directory; nil for one that is not known
	repositories map[string]*gitRemotes
}

// An opening is what all the resolvers of one plan share, the plan's own and those of the
// files that it executes.
type opening struct {
	held    int                  // files kept open
	secrets map[walk.ID][]string // by inode; nil until they are asked for
	inner   int                  // texts that were read
	// of the contents, by path, as far as they are short enough to be judged
	texts map[string]string
	seen  map[innerKey]bool
	asked map[string]*registry // the registries that were looked for, by name
}

// A registry is what was found of one.
type registry struct {
	hosts []Registry
	given []Given
}

type innerKey struct {
	path, dir, text, given string
	known                  bool // given is
}

// hold keeps a file open until the plan is closed.
func (r *resolver) hold(f *walk.Held) *walk.Held {
	if f != nil {
		r.plan.files = append(r.plan.files, f)
		r.share.held++
	}
	return f
}

// from returns the directory that relative names of a command start in.
func (r *resolver) from(dir string) walk.Dir {
	if s, ok := r.dirs[dir]; ok {
		return s
	}
	end := r.Walk(r.Root, dir, true)
	s := walk.Dir{FD: end.FD, Path: end.Real}
	if end.Missing != "" {
		end.Close()
		s = walk.Dir{FD: -1, Path: pathname.Join(end.Real, end.Missing)}
	}
	r.dirs[dir] = s
	return s
}

func (r *resolver) limit(what string, count, effect int) {
	for _, l := range r.plan.Limits {
		if l.What == what && l.Effect == effect || what == "targets" && l.What == what {
			return
		}
	}
	r.plan.Limits = append(r.plan.Limits, Limit{what, count, effect})
}

// homeOf finds the home of an account by name. The caller's own may be one that only the
// name service knows, not the passwd file; it is known by its home.
func (r *resolver) homeOf(user string) string {
	if home := passwd.Home(user); home != "" {
		return home
	}
	if user != "" && (path.Base(r.plan.Caller.Home) == user || r.plan.Caller.Env["USER"] == user) {
		return r.plan.Caller.Home
	}
	return ""
}

// real is the path of a name without a symbolic link, by text as far as it does not exist.
func (r *resolver) real(name string) string {
	switch name {
	case "":
		return ""
	case r.plan.Caller.Dir: // was walked a moment ago
		return r.plan.Dir
	}
	end := r.Walk(r.Root, name, true)
	end.Close()
	return pathname.Join(end.Real, end.Missing)
}
