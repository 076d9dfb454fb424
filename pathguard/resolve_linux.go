package pathguard

import (
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/shellparse"
)

// Resolve finds the real files behind every name of the script, opens each once, and binds
// the programs and the files of code that would run. It reads directories for patterns and
// regular files for their content, and nothing else: a FIFO or a device is never opened.
//
// A name that does not exist, cannot be reached, or is not wholly known is no error; it is
// a Target that says so. The error is for what leaves no ground to stand on. The plan is
// the caller's to Close.
func Resolve(script *shellparse.Script, c Caller) (*Plan, error) {
	if !strings.HasPrefix(c.Dir, "/") {
		return nil, ErrNoDir
	}
	w, err := newWalker()
	if err != nil {
		return nil, err
	}
	r := &resolver{walker: w, plan: &Plan{Script: script, Caller: c}, dirs: map[string]spot{}, share: &opening{}}
	defer r.close()
	r.start()
	for i := range script.Effects {
		r.effect(i)
	}
	r.plan.Ignored = r.ignored()
	r.commandDirs()
	r.programs()
	r.manifests()
	r.remotes()
	r.inners()
	r.plan.Linked = r.linkedOutside()
	return r.plan, nil
}

// start opens the working directory and finds the workspace around it.
func (r *resolver) start() {
	p := r.plan
	end := r.walk(r.root, p.Caller.Dir, true)
	p.Dir = join(end.real, end.missing)
	if end.missing == "" {
		p.dirFile = r.hold(file(end))
		p.DirID = end.id()
		r.cwd = spot{end.fd, end.real}
	} else {
		end.close()
		r.cwd = spot{-1, p.Dir}
	}
	r.dirs[p.Caller.Dir] = r.cwd
	p.Workspace = r.workspace()
}

func (r *resolver) close() {
	for _, d := range r.dirs {
		if d.fd >= 0 && d.fd != r.cwd.fd {
			unix.Close(d.fd)
		}
	}
	r.walker.close()
}
