package resolve

import (
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse"
)

// Resolve finds the real files behind every name of the script, opens each once, and binds
// the programs and the files of code that would run. It reads directories for patterns and
// regular files for their content, and nothing else: a FIFO or a device is never opened.
//
// A name that does not exist, cannot be reached, or is not wholly known is no error; it is a Target
// that says so. An error means that there is no directory to start from. The caller must close the
// plan.
func Resolve(script *shellparse.Script, c Caller) (*Plan, error) {
	if !strings.HasPrefix(c.Dir, "/") {
		return nil, ErrNoDir
	}
	w, err := walk.New()
	if err != nil {
		return nil, err
	}
	r := &resolver{Walker: w, plan: &Plan{Script: script, Caller: c}, dirs: map[string]walk.Dir{},
		share: &opening{}}
	if c.Env != nil {
		r.given = map[string]bool{}
	}
	defer r.close()
	r.start()
	r.remotes()
	r.oneRemotes()
	for i := range r.plan.Script.Effects {
		r.effect(i)
	}
	r.plan.Ignored = r.ignored()
	r.commandDirs()
	r.besides()
	r.programs()
	r.manifests()
	r.registries()
	r.inners()
	if ws := r.plan.Workspace; ws != "" && !r.plan.Exact() {
		r.plan.linked = sync.OnceValue(func() []string {
			return once(c.Look, "linked", ws, func() []string { return linkedOutside(ws) })
		})
	}
	return r.plan, nil
}

// start opens the working directory and finds the workspace around it.
func (r *resolver) start() {
	p := r.plan
	end := r.Walk(r.Root, p.Caller.Dir, true)
	p.Dir = pathname.Join(end.Real, end.Missing)
	if end.Missing == "" {
		p.dirFile = r.hold(walk.Hold(end))
		p.DirID = end.ID()
		r.WorkDir = walk.Dir{FD: end.FD, Path: end.Real}
	} else {
		end.Close()
		r.WorkDir = walk.Dir{FD: -1, Path: p.Dir}
	}
	r.dirs[p.Caller.Dir] = r.WorkDir
	p.Workspace = r.workspace()
}

func (r *resolver) close() {
	for _, d := range r.dirs {
		if d.FD >= 0 && d.FD != r.WorkDir.FD {
			unix.Close(d.FD)
		}
	}
	r.Walker.Close()
}
