package launcher

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/environ"
)

// A surroundings is an environment with what is derived from it. It is shared by judgements
// and does not change: a server judges thousands of lines for the same caller.
type surroundings struct {
	environ.Environ
	from []string
	dir  string
	vars map[string]string
	sum  string // of what every plan binds

	bound map[string]string // what that is
	loose map[string]string // what a plan binds only where its text names it: see perCall
}

func (l *Launcher) surroundings(env []string, dir string) *surroundings {
	if last := l.around.Load(); last != nil && last.dir == dir && slices.Equal(last.from, env) {
		return last
	}
	keep := l.policy.Settings().KeepEnv
	s := &surroundings{Environ: environ.Scrub(environ.InDir(env, dir), keep), from: slices.Clone(env), dir: dir}
	s.Kept = withoutLinks(realShells(s.Kept), l.home.Links(), filepath.Join(l.account, ".tada", "bin"))
	s.vars = s.Vars()
	s.bound, s.loose = environ.Bound(s.vars, keep)
	sum := object{}
	for name, value := range s.bound {
		sum[name] = value
	}
	s.sum = digestOf(sum)
	l.around.Store(s)
	return s
}

// namedLoose are the loose variables that a text of the plan names, with their values: there they do decide what runs.
func (j *Judgement) namedLoose() object {
	o := object{}
	for name, value := range j.environ.loose {
		if program := environ.ProgramOf(name); j.names(name) || program != "" && j.names(program) {
			o[name] = value
		}
	}
	return o
}

// names reports whether the command line, an argument of it or a script that it executes has the word in it.
func (j *Judgement) names(word string) bool {
	if slices.ContainsFunc(j.Request.Shell.Args, func(arg string) bool { return strings.Contains(arg, word) }) {
		return true
	}
	if j.Plan == nil {
		return strings.Contains(j.Script.Text, word)
	}
	for plan := range plans(j.Plan) {
		if strings.Contains(plan.Script.Text, word) {
			return true
		}
	}
	return false
}
