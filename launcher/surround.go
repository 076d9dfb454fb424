package launcher

import (
	"path/filepath"
	"slices"

	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/shell"
)

func (l *Launcher) surroundings(env []string, dir string) *surroundings {
	if last := l.around.Load(); last != nil && last.dir == dir && slices.Equal(last.from, env) {
		return last
	}
	keep := l.policy.Settings().KeepEnv
	s := &surroundings{Environ: environ.Scrub(environ.InDir(env, dir), keep),
		from: slices.Clone(env), dir: dir}
	s.Kept = shell.WithoutLinks(shell.WithReal(s.Kept), l.state.Links(),
		filepath.Join(l.account, ".tada", "bin"))
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
