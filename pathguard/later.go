package pathguard

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
)

// A Later is the state of those files in the workspace that run or instruct later without being
// asked for: .envrc, .mcp.json, AGENTS.md, the tasks of an editor. A judgement knows those that a
// command line names. A caller that runs code that was not read compares the state before with the
// state after. Git's own files are not among them.
type Later map[string]stamp

// A stamp detects whether a file, or a folder with its contents, has changed.
type stamp struct {
	ino, size, changed uint64
	kept               bool
	tools, runs        string
}

// LaterIn looks for such names in the folders and below them, as far as a sandbox looks for names
// to hide, for a caller with these agents.
func LaterIn(c *Caller, dirs ...string) Later {
	found := Later{}
	if c.Agents != nil {
		c.Agents() // the agents that work here now, not only when a name asks for them
	}
	d := walk.OpenDisk()
	defer d.Close()
	seen, looked := map[string]bool{}, 0
	for n := 0; n < len(dirs) && n < walk.MaxSearched && looked < walk.MaxLooked; n++ {
		dir := dirs[n]
		if seen[dir] {
			continue
		}
		seen[dir] = true
		for _, e := range d.List(dir).Entries {
			looked++
			name := laterNamed(dir, e.Name)
			switch {
			case name != nil && !c.HasAgent(name.only):
			case name != nil && !isOne("git", name.tools):
				full := pathname.Join(dir, e.Name)
				found[full] = stampOf(full, name)
				if name.apart != "" {
					dirs = append(dirs, pathname.Join(full, name.apart))
				}
			case name == nil && e.IsDir() &&
				(!slices.Contains(pathname.Regenerable, e.Name) || e.Name == ".bundle"):
				// it holds packages and a configuration
				dirs = append(dirs, pathname.Join(dir, e.Name))
			}
		}
	}
	return found
}

// A Left is a name that is new or changed, and the program that runs it.
type Left struct{ Name, Runs string }

// Since returns what the command of a plan left, sorted by name: what is new or changed since
// before. Left out is what the plan says that it writes, what its own tools wrote, and of what
// people have in version control what git wrote.
func (l Later) Since(before Later, plan *resolve.Plan) (left []Left) {
	started := plan.Started()
	git := slices.Contains(started, "git")
	for name, now := range l {
		was, ok := before[name]
		if ok && was == now || plan.Writes(name, apartIn(name)) || git && (ok || !now.kept) ||
			slices.ContainsFunc(started, func(p string) bool { return isOne(p, now.tools) }) {
			continue
		}
		left = append(left, Left{name, now.runs})
	}
	slices.SortStableFunc(left, func(a, b Left) int { return strings.Compare(a.Name, b.Name) })
	return left
}

// laterNamed returns the line of the table that a name in a directory is, or nil.
func laterNamed(dir, name string) *laterName {
	list := laterNames()
	for i := range list {
		n := &list[i] // this runs for each of some thousand names
		if (n.last == name || n.last[0] == '*') && pathname.IsDeep(n.name, dir, name) {
			return n
		}
	}
	return nil
}

// maxStamped bounds the names in a folder that are looked at for whether something in it changed.
const maxStamped = 64

func stampOf(name string, line *laterName) stamp {
	s, most := stamp{kept: line.kept, tools: line.tools, runs: line.runs}, maxStamped
	_ = fs.WalkDir(os.DirFS(name), ".", func(p string, d fs.DirEntry, _ error) error {
		if p == line.apart && d != nil && d.IsDir() {
			return fs.SkipDir
		}
		info, err := os.Lstat(path.Join(name, p))
		if err != nil {
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			s.ino, s.size, s.changed = s.ino*31+st.Ino, s.size*31+uint64(info.Size()),
				s.changed*31+uint64(info.ModTime().UnixNano())
		}
		if most--; most <= 0 {
			return fs.SkipAll
		}
		return nil
	})
	return s
}
