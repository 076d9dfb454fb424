package pathguard

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// caching grants the caches that exist; to an exact plan, those of its programs. A missing folder
// cannot be granted, so caching lists the missing ones that the programs of the plan and of the
// files that it executes use, and the launcher creates these first.
func (j *judgement) caching(f *Fence) {
	var programs []string
	list, moves := caches(), j.movedFolders()
	for i := range list {
		c := &list[i]
		if f.Exact && programs == nil {
			programs = j.plan.Started()
		}
		if f.Exact && !c.usedBy(programs) {
			continue
		}
		moved := j.moved(c, moves)
		found := j.disk.Existing(nil, j.p.reals, append(moved, c.name)...)
		for _, real := range found {
			f.Write = append(f.Write, Grant{Path: real, Tree: true, Cache: true})
		}
		missing := slices.DeleteFunc(moved,
			func(dir string) bool { return slices.Contains(found, dir) })
		if len(found) == 0 && len(moved) == 0 && len(j.p.reals) > 0 {
			missing = []string{j.p.reals[0] + c.name[len("~"):]}
		}
		if len(missing) == 0 {
			continue
		}
		if programs == nil {
			programs = j.plan.Started()
		}
		if c.usedBy(programs) {
			f.Caches = append(f.Caches, missing...)
		}
	}
}

func (c *cache) usedBy(programs []string) bool {
	for p := range strings.FieldsSeq(c.programs) {
		if slices.Contains(programs, p) {
			return true
		}
	}
	return false
}

// movedFolders are those of the caller's environment.
func (j *judgement) movedFolders() (list []move) {
	for line := range strings.Lines(moveTable) {
		folder, variables, _ := strings.Cut(strings.TrimSpace(line), " ")
		for variable := range strings.FieldsSeq(variables) {
			// Of a GOPATH, go writes to the first.
			value, _, _ := strings.Cut(j.plan.Caller.Env[variable], ":")
			if strings.HasPrefix(value, "/") {
				list = append(list, move{folder, value})
			}
		}
	}
	if home := j.plan.Caller.Env["HOME"]; strings.HasPrefix(home, "/") {
		if real, _, _ := j.disk.Real(home); len(j.p.reals) == 0 || real != j.p.reals[0] {
			list = append(list, move{"~", home}) // what moves one folder comes first
		}
	}
	return list
}

// moved returns where moves take a cache to, as far as the place can be a cache.
func (j *judgement) moved(c *cache, moves []move) (dirs []string) {
	for _, m := range moves {
		if m.folder == "~" && len(dirs) > 0 ||
			!pathname.Within(c.name, m.folder) && !pathname.Within(m.folder, c.name) {
			continue
		}
		rest := strings.TrimPrefix(c.name[min(len(m.folder), len(c.name)):], "/")
		dir := path.Join(m.value, rest)
		if real, _, ok := j.disk.Real(dir); ok {
			dir = real
		}
		if j.mayCache(dir, rest != "" || strings.HasSuffix(dir, c.name[len("~"):])) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// mayCache reports whether a folder may be the cache that a variable makes it: it contains no path
// of a rule, no home, workspace or repository. A system folder is one only by a name that the
// program gives it.
func (j *judgement) mayCache(dir string, named bool) bool {
	rules := j.p.tree.holds(dir)
	j.p.tree.at(dir, func(m mark) { rules |= 1 << m.kind })
	if rules&^(1<<markCache|1<<markCachedCode|1<<markPublic) != 0 || j.isHome(dir) || isTop(dir) {
		return false
	}
	if ws := j.plan.Workspace; ws != "" && pathname.Within(ws, dir) ||
		pathname.WithinAny(dir, kernelDirs) {
		return false
	}
	if !named && pathname.WithinAny(dir, pathname.SystemDirs) && !pathname.WithinAny(dir, j.homes) {
		return false
	}
	_, _, repository := j.disk.Real(pathname.Join(dir, ".git"))
	return !repository
}

// A move is a folder of moveTable and what one of its variables has for it.
type move struct{ folder, value string }

// kernelDirs hold no caches.
var kernelDirs = []string{"/proc", "/sys", "/dev"}

// moveTable lists the variables of the caller's environment with which a person moves a folder of a
// home, and the caches below it: containers of Go have GOPATH=/go, and a build there without its
// caches fails, or complains each time.
//
//go:embed table/moves.txt
var moveTable string
