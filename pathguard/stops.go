package pathguard

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
)

// Stops says in plain sentences what the restricted paths take from every command in dir that
// finds its programs in the folders of search: programs, libraries, the working directory.
// It returns one sentence for each path that takes anything, in the order of the configuration.
func (p Policy) Stops(dir string, search []string) []string {
	if p.tree == nil {
		return nil
	}
	d := walk.OpenDisk()
	defer d.Close()
	here, _, _ := d.Real(dir)
	var told []string
	for _, name := range p.set.RestrictedPaths {
		for _, real := range pathname.SortUnique(d.Existing(nil, p.reals, name)) {
			if what := stops(d, p.reals, real, here, search); what != "" {
				told = append(told, fmt.Sprintf("restricted_paths: %q %s", name, what))
			}
		}
	}
	return slices.Compact(told)
}

func stops(d *walk.Disk, homes []string, restricted, dir string, search []string) string {
	if pathname.Within(dir, restricted) {
		return fmt.Sprintf("holds the working directory %q, in which no command line runs", dir)
	}
	programs := programsIn(d, restricted, search)
	needed, all := needed(d, restricted)
	var parts []string
	if len(programs) > 0 {
		const most = 4
		some := strings.Join(programs[:min(len(programs), most)], ", ")
		if more := len(programs) - most; more > 0 {
			some += ", and " + strconv.Itoa(more) + " more"
		}
		parts = append(parts, "denies every command line that starts a program there ("+some+")")
	}
	if slices.ContainsFunc(homes,
		func(home string) bool { return pathname.Within(home, restricted) }) {
		parts = append(parts,
			"holds the home: no command reads its settings, caches or projects there")
	}
	switch {
	case restricted == "/proc" || restricted == "/dev" || restricted == "/sys":
		parts = append(parts,
			"denies every command line that names a file there, /dev/null and <( ) included where "+
				"they are in it")
	case all:
		parts = append(parts, "denies every command line that names it; what runs can still load "+
			"it, because no command starts without it")
	case len(needed) > 0:
		parts = append(parts, "is out of reach of what runs but for "+strconv.Itoa(len(needed))+
			" names without which no shell starts")
	}
	return strings.Join(parts, "; ")
}

// programsIn returns the names of programs that a search of the folders finds below a path, or that
// are that path.
func programsIn(d *walk.Disk, restricted string, search []string) []string {
	var names []string
	for _, folder := range search {
		real, _, ok := d.Real(folder)
		switch {
		case !ok || !path.IsAbs(folder):
		case pathname.Within(real, restricted):
			for _, e := range d.List(real).Entries {
				if !e.IsDir() {
					names = append(names, e.Name)
				}
			}
		case path.Dir(restricted) == real:
			names = append(names, path.Base(restricted))
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return everyday(a) - everyday(b) })
	seen := map[string]bool{}
	return slices.DeleteFunc(names,
		func(n string) bool { was := seen[n]; seen[n] = true; return was })
}

// everyday puts the programs that a reader knows first.
func everyday(name string) int {
	if i := slices.Index(resolve.ExactPrograms, name); i >= 0 {
		return i
	}
	return len(resolve.ExactPrograms)
}
