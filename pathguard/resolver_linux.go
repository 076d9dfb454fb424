package pathguard

import "path"

type resolver struct {
	*walker
	plan  *Plan
	dirs  map[string]spot // the starting directories that were opened, by their spelling
	bound map[string]bool // contents by path
	share *opening
	depth int // of files that execute files
}

// An opening is what all the resolvers of one plan share, the plan's own and those of the
// files that it executes.
type opening struct {
	held    int               // files kept open
	secrets map[ID][]string   // by inode; nil until they are asked for
	inner   int               // texts that were read
	texts   map[string]string // of the contents, by path, as far as they are short enough to be judged
	seen    map[innerKey]bool
}

type innerKey struct{ path, dir, text string }

// hold keeps a file open until the plan is closed.
func (r *resolver) hold(f *held) *held {
	if f != nil {
		r.plan.files = append(r.plan.files, f)
		r.share.held++
	}
	return f
}

// from returns the directory that relative names of a command start in.
func (r *resolver) from(dir string) spot {
	if s, ok := r.dirs[dir]; ok {
		return s
	}
	end := r.walk(r.root, dir, true)
	s := spot{end.fd, end.real}
	if end.missing != "" {
		end.close()
		s = spot{-1, join(end.real, end.missing)}
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
	if home := accountHome(user); home != "" {
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
	end := r.walk(r.root, name, true)
	end.close()
	return join(end.real, end.missing)
}
