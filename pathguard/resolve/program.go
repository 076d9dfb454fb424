package resolve

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse"
)

// defaultPath is what bash searches when PATH is not set.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

type programKey struct{ name, path, dir, via string }

// elsewhere is the place of programs that are no file of this machine's PATH: modules of an
// interpreter, and what runs in a container or on another machine.
const elsewhere = "-"

// bringers look for a program in a place of their own before PATH, and fetch it if it is nowhere. A
// program that is not found here is not missing.
var bringers = map[string]string{
	"npx": "node_modules/.bin", "npm": "node_modules/.bin", "pnpm": "node_modules/.bin",
	"pnpx": "node_modules/.bin", "yarn": "node_modules/.bin",
	"bun": "node_modules/.bin", "bunx": "node_modules/.bin", "uv": ".venv/bin",
	"poetry": ".venv/bin", "pipenv": ".venv/bin", "pdm": ".venv/bin",
	"hatch": ".venv/bin", "rye": ".venv/bin", "bundle": elsewhere, "composer": "vendor/bin",
	"uvx": elsewhere, "pipx": elsewhere, "python": elsewhere, "python3": elsewhere,
	"nix": elsewhere, "nix-shell": elsewhere, "mise": elsewhere,
	"ssh": elsewhere, "docker": elsewhere, "podman": elsewhere, "nerdctl": elsewhere,
	"kubectl": elsewhere, "docker-compose": elsewhere, "vagrant": elsewhere,
}

// bringer returns the first word of the innermost wrapper, when it is such a program.
func bringer(c *shellparse.Command) string {
	if len(c.Via) == 0 {
		return ""
	}
	word, _, _ := strings.Cut(c.Via[len(c.Via)-1], " ")
	if word = path.Base(word); bringers[word] != "" {
		return word
	}
	return ""
}

// programs finds the file of every command, once for each way of asking.
func (r *resolver) programs() {
	var asked map[programKey]bool
	for i := range r.plan.Script.Commands {
		c := &r.plan.Script.Commands[i]
		if c.Name == "" || c.Builtin {
			continue
		}
		key := programKey{c.Name, r.searchPath(i), c.Dir, bringer(c)}
		if strings.HasPrefix(c.Name, "/") {
			key.dir = ""
		}
		if asked[key] {
			continue
		}
		if asked == nil {
			asked = make(map[programKey]bool, len(r.plan.Script.Commands))
			r.plan.Programs = make([]Program, 0, min(len(r.plan.Script.Commands), 8))
		}
		asked[key] = true
		r.plan.Programs = append(r.plan.Programs, r.program(i, key))
	}
}

// searchPath is the PATH that a command is looked up in: bash uses the one that is given
// to the command itself.
func (r *resolver) searchPath(i int) string {
	list, ok := r.plan.Caller.Env["PATH"]
	if !ok {
		list = defaultPath
	}
	for _, a := range r.plan.Script.Commands[i].Assign {
		if a.Name == "PATH" {
			list = a.Value.Text
		}
	}
	return list
}

func (r *resolver) program(i int, key programKey) Program {
	p := Program{Command: i, Name: key.name}
	place := bringers[key.via]
	if place == elsewhere {
		p.Why = "found by " + key.via
		return p
	}
	from := r.WorkDir
	if key.dir != "" {
		from = r.from(key.dir)
	}
	if strings.Contains(key.name, "/") {
		r.bindProgram(&p, from, key.name)
		return p
	}
	list := key.path
	if place != "" {
		list = place + ":" + list
	}
	for dir := range strings.SplitSeq(list, ":") {
		if dir == "" {
			dir = "."
		}
		name := dir + "/" + key.name
		if !mayRun(from, name) {
			continue
		}
		if p.Path == "" {
			found := p
			if r.bindProgram(&found, from, name); found.Path != "" && !found.Mode.IsRegular() {
				continue // a directory: the search continues
			}
			p = found
			if p.Path == "" || !r.inWorkspace(p.Real) || pathname.IsToolDir(p.Path) {
				return p
			}
		} else if !r.inWorkspace(name) && isRegular(from, name) {
			p.Shadow = name
			return p
		}
	}
	switch {
	case p.Path != "":
	case key.via != "":
		p.Why = "brought by " + key.via
	default:
		p.Why = "not found in PATH"
	}
	return p
}

func (r *resolver) inWorkspace(name string) bool {
	if !strings.HasPrefix(name, "/") {
		return true
	}
	return r.plan.Workspace != "" && pathname.Within(name, r.plan.Workspace)
}

// mayRun reports whether the search in PATH would stop at name, if that is a regular file.
func mayRun(from walk.Dir, name string) bool {
	at, ok := startOf(from, name)
	return ok && unix.Faccessat(at, name, unix.X_OK, 0) == nil
}

func isRegular(from walk.Dir, name string) bool {
	at, ok := startOf(from, name)
	var st unix.Stat_t
	return ok && unix.Fstatat(at, name, &st, 0) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG
}

// startOf is the directory that a name of a program starts from, unless that is gone.
func startOf(from walk.Dir, name string) (fd int, ok bool) {
	if strings.HasPrefix(name, "/") {
		return unix.AT_FDCWD, true
	}
	return from.FD, from.FD >= 0
}

func (r *resolver) bindProgram(p *Program, from walk.Dir, name string) {
	end := r.Walk(from, name, true)
	p.Real, p.Links, p.Why = pathname.Join(end.Real, end.Missing), end.Links, end.Why
	if end.Missing != "" || end.FD < 0 {
		if p.Why == "" {
			p.Why = "no such file"
		}
		end.Close()
		return
	}
	p.Path = name
	if !strings.HasPrefix(name, "/") {
		p.Path = path.Join(from.Path, name)
	}
	p.ID, p.Mode, p.Size = end.ID(), end.Mode(), end.Stat.Size
	p.ModTime = end.Stat.Mtim.Nano()
	p.file = r.hold(walk.Hold(end))
	if !rootOnly(p.Real, &end.Stat) {
		p.Sum, _, _ = sum(p.file, uint32(end.Stat.Mode), end.Stat.Size)
	}
}
