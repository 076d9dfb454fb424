package resolve

import (
	"path"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/code"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A manifest is a file from which a tool learns what to run, although no word of the command line
// names the file.
type manifest struct {
	names  []string // the first that exists is read
	upward bool     // the tool also looks in the directories above
}

// manifests by program: what a person approves with "make test" is this text.
var manifests = map[string]manifest{
	"make":   {names: []string{"GNUmakefile", "makefile", "Makefile"}},
	"gmake":  {names: []string{"GNUmakefile", "makefile", "Makefile"}},
	"just":   {names: []string{"justfile", ".justfile", "Justfile"}, upward: true},
	"task":   {names: []string{"Taskfile.yml", "Taskfile.yaml"}, upward: true},
	"rake":   {names: []string{"Rakefile", "rakefile", "Rakefile.rb"}, upward: true},
	"npm":    {names: []string{"package.json"}, upward: true},
	"npx":    {names: []string{"package.json"}, upward: true},
	"yarn":   {names: []string{"package.json"}, upward: true},
	"pnpm":   {names: []string{"package.json"}, upward: true},
	"bun":    {names: []string{"package.json"}, upward: true},
	"gulp":   {names: []string{"gulpfile.js"}, upward: true},
	"grunt":  {names: []string{"Gruntfile.js"}, upward: true},
	"tox":    {names: []string{"tox.ini", "pyproject.toml"}, upward: true},
	"nox":    {names: []string{"noxfile.py"}},
	"poetry": {names: []string{"pyproject.toml"}, upward: true},
	"ant":    {names: []string{"build.xml"}},
	"mvn":    {names: []string{"pom.xml"}},
	"gradle": {names: []string{"build.gradle", "build.gradle.kts"}, upward: true},
	"cmake":  {names: []string{"CMakeLists.txt"}},
	"cargo":  {names: []string{"Cargo.toml"}, upward: true},
	"docker": {names: []string{"Dockerfile"}},
}

// manifests binds the file that each such tool would read in its directory.
func (r *resolver) manifests() {
	for i := range r.plan.Script.Commands {
		c := &r.plan.Script.Commands[i]
		m, ok := manifests[path.Base(c.Name)]
		if !ok || c.Dir == "" {
			continue
		}
		at := r.from(c.Dir)
		for at.FD >= 0 && !r.manifest(i, at, m.names) {
			if !m.upward || at.Path == "/" || at.Path == r.plan.Workspace {
				break
			}
			at = r.from(path.Dir(at.Path))
		}
	}
}

func (r *resolver) manifest(command int, at walk.Dir, names []string) bool {
	for _, name := range names {
		full := pathname.Join(at.Path, name)
		if r.bound[full] {
			return true
		}
		end := r.Walk(at, name, true)
		if end.Missing != "" || end.FD < 0 {
			end.Close()
			continue
		}
		c := contentAt(end, command)
		var text string
		c.Name, c.file = full, r.hold(walk.Hold(end))
		c.Sum, text, c.Why = sum(c.file, uint32(end.Stat.Mode), end.Stat.Size)
		r.remember(end.Real, text)
		r.keepContent(c)
		return true
	}
	return false
}

// maxIncludes bounds the makefiles that one takes in, and those that they take in.
const maxIncludes = 32

// includes binds the makefiles that another one includes, by content: their text runs as much as
// its own. They are not judged; the sandbox contains what they do.
func (r *resolver) includes(cmd int, dir string, queue []string) {
	for n := 0; n < len(queue) && n < maxIncludes; n++ {
		end := r.Walk(r.from(dir), queue[n], true)
		if end.Missing != "" || end.FD < 0 || end.Stat.Mode&unix.S_IFMT != unix.S_IFREG ||
			r.bound[end.Real] {
			end.Close()
			continue
		}
		c := contentAt(end, cmd)
		var text string
		if c.Name = queue[n]; !path.IsAbs(c.Name) {
			c.Name = pathname.Join(r.from(dir).Path, c.Name)
		}
		c.file = r.hold(walk.Hold(end))
		c.Sum, text, c.Why = sum(c.file, uint32(end.Stat.Mode), end.Stat.Size)
		r.keepContent(c)
		facts, _ := code.Make(text, nil)
		for _, f := range facts {
			if f.Right == command.Read && f.Flags&command.Source != 0 {
				queue = append(queue, f.Text)
			}
		}
	}
}

// contentAt is the file at the end of a walk, without its hash.
func contentAt(end walk.End, command int) Content {
	return Content{Path: end.Real, Command: command,
		Bound: Bound{ID: end.ID(), Size: end.Stat.Size, ModTime: end.Stat.Mtim.Nano()}}
}
