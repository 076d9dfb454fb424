package resolve

import (
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/command"
)

// The bounds of the search for the scripts that find(1) would pass to an interpreter. A person
// would not read more of them.
const (
	maxFound      = 64
	maxFoundNames = 1 << 14
)

// foundScripts makes targets of the files that a command executes below a directory, as far as
// they are there now: find . -name "*.sh" -exec sh {} \;. Directories are read breadth first, like
// the names in them in the order of the disk. A directory that is executed itself (run-parts)
// means the programs in it, and none further down.
func (r *resolver) foundScripts(top Target, base string) {
	if !top.Exists || !top.Mode.IsDir() || top.Kind != walk.Plain {
		return
	}
	w, err := pathname.Compile(base)
	if base != "" && err != nil {
		return
	}
	deep := top.Flags&command.Below != 0
	x := expansion{r: r, left: maxFoundNames}
	found := 0
	for dirs := []string{top.Real}; len(dirs) > 0 && x.left > 0; dirs = dirs[1:] {
		for _, e := range x.read(dirs[0]) {
			name := pathname.Join(dirs[0], e.Name())
			switch {
			case e.IsDir() && deep:
				dirs = append(dirs, name)
				continue
			case base != "" && !w.Match(e.Name()):
				continue
			}
			if found++; found > maxFound {
				continue
			}
			t := Target{Right: top.Right, Flags: top.Flags &^ (command.Below | command.List),
				Name: name, Effect: top.Effect, Command: top.Command}
			end := r.Walk(r.Root, name, true)
			if end.FD >= 0 && end.Stat.Mode&unix.S_IFMT == unix.S_IFREG &&
				(deep || end.Stat.Mode&0o111 != 0) {
				r.bind(&t, end)
				continue
			}
			end.Close()
		}
	}
	if found > maxFound || x.left <= 0 {
		r.limit("scripts", found, top.Effect)
	}
}
