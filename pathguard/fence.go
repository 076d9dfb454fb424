package pathguard

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A Fence is what a plan may reach once it was allowed: the launcher makes the kernel's
// fence from it. Everything that is not named may be read, and not written.
type Fence struct {
	Write      []Grant  // what may be written, created and deleted
	Reveal     []Grant  // what may be read although Hide covers it: the plan names it
	Caches     []string // folders of tool caches that are not there, and that a program of the plan uses
	ReadOnly   []string // existing paths below Write that stay as they are
	Hide       []string // existing paths that can be neither read nor written
	Needed     []string // what of Hide can be read all the same, because no command starts without
	Network    bool     // more than loopback
	Hosts      []string // the hosts that the plan names; empty when any may be meant
	Require    Require  // the least level of the fence
	PrivateTmp bool
	Exact      bool // every write is known: Write holds the plan's targets and the caches of its programs, and nothing wider
	Partial    bool // the workspace has more folders than were searched for names to hide or to keep
}

// A Grant is one file, or one directory with what is below it.
//
// A kernel has no right to one name: to make, remove or rename a name is a right to its
// directory, and so to every name in it. A Grant therefore says both: what is meant, and
// through which directory it would have to go. Whoever builds the fence gives the narrowest
// thing that does the job.
type Grant struct {
	Path    string   // real and existing
	Missing string   // what is to be made below Path; "" when Path itself is meant
	File    *os.File // Path, opened when the plan was made; nil for what only the policy names
	Tree    bool     // everything below Path is meant
	Entry   bool     // the name in its directory is meant too: it is made, renamed or deleted

	// Of a Grant with Entry: the directory, as it was opened when the plan was made, and the
	// names in it that are meant. No names are any name: a program that replaces a file by a
	// new one calls that as it likes. Dir is nil when the directory had changed by then, or
	// when the plan held too many files; then only the name Parent is left.
	Parent string
	Dir    *os.File
	Names  []string

	// Broad says that the directory must not be given as a tree that can be written, because
	// what else stands in it is worth more than the names that are meant: the root, the home,
	// /etc, a directory of keys or of what runs at login. Make the missing file beforehand and
	// give that, make or delete the name for the command, or refuse.
	Broad bool
}

// Fence derives the fence of a plan that was allowed, by the policy or by a person. The
// files in it are the plan's own and live as long as the plan. It lists a few directories
// (the home, the workspace, and below the workspace when what runs is not wholly known),
// because only what exists can be hidden.
func (p Policy) Fence(plan *Plan) Fence { return p.fence(plan, true) }

// Grants is Fence without what only the disk tells: Hide and ReadOnly, and of the ground that
// an inexact plan may write the workspace alone, without temporary files and caches. No
// directory is looked at. An approval binds this much. What there is to hide may change
// between a question and its answer, and the run is still the one that was asked for.
func (p Policy) Grants(plan *Plan) Fence { return p.fence(plan, false) }

func (p Policy) fence(plan *Plan, hiding bool) Fence {
	if p.tree == nil || plan == nil || plan.Script == nil {
		return Fence{}
	}
	j := judgement{p: &p, plan: plan, script: plan.Script, homes: p.homes}
	if hiding {
		j.disk = openDisk()
		defer j.disk.close()
	}
	f := Fence{Require: p.set.Require, PrivateTmp: p.set.PrivateTmp}
	class := j.class()
	f.Exact = class == ReadOnly || plan.exact()
	j.writes(&f)
	j.names(&f)
	if hiding {
		j.hides(&f)
	}
	j.reach(&f, class)
	return f
}

// names takes in what only the names of the plan and of the files that it executes give: a
// person who said yes to a script has been shown what it writes elsewhere.
func (j *judgement) names(f *Fence) {
	j.reveals(f)
	for _, k := range j.files() {
		k.writesNamed(f)
		k.names(f)
		k.hosts(f)
	}
}

// exactPrograms do what their words say and nothing else: a plan of them alone needs no
// wider grant than its targets.
var exactPrograms = names{
	"cat", "cp", "mv", "rm", "ln", "mkdir", "rmdir", "touch", "tee", "install",
	"chmod", "chown", "truncate", "dd", "head", "tail", "sort", "uniq", "cut", "tr",
	"wc", "grep", "ls", "stat", "sed", "echo", "printf", "true", "false", "test", "[",
	"seq", "date", "basename", "dirname", "readlink", "realpath", "cmp", "diff", "comm",
	"paste", "join", "fold", "nl", "od", "xxd", "base64", "sha256sum", "md5sum", "jq",
	"tac", "rev", "expand", "fmt", "pwd", "cd", "unlink", "link", "shuf", "mktemp",
}

// toldBy reports whether a command's words tell what it writes.
func toldBy(c *shellparse.Command) bool {
	return c.Name != "mktemp" && (c.Builtin || c.Known && (exactPrograms.has(c.Name) || c.ReadOnly))
}

// exact reports whether the text tells every write of the plan.
func (p *Plan) exact() bool {
	for i := range p.Script.Commands {
		if !toldBy(&p.Script.Commands[i]) {
			return false
		}
	}
	for _, t := range p.Targets {
		if t.Unknown && t.Right != command.Read {
			return false
		}
	}
	for _, e := range p.Script.Effects {
		if e.Right == command.Exec || e.Flags&command.Source != 0 {
			return false
		}
	}
	return len(p.Script.Opaque) == 0 && len(p.Script.Codes) == 0 && len(p.Limits) == 0
}

// writes grants what the plan names, and unless the plan is exact the ground that work
// happens on: the workspace, shared temporary files, caches.
func (j *judgement) writes(f *Fence) {
	j.writesNamed(f)
	if f.Exact {
		if j.disk != nil {
			j.caching(f) // pip list has a cache too, and complains about one that it may not write
		}
		return
	}
	if j.plan.Workspace != "" {
		g := Grant{Path: j.plan.Workspace, Tree: true}
		if j.plan.Workspace == j.plan.Dir {
			g.File = j.plan.DirFile()
		}
		f.Write = append(f.Write, g)
	}
	if j.disk == nil {
		return
	}
	for _, real := range j.disk.existing(nil, j.p.reals, tempDirs...) {
		f.Write = append(f.Write, Grant{Path: real, Tree: true})
	}
	j.caching(f)
}

// writesNamed grants the names alone.
func (j *judgement) writesNamed(f *Fence) {
	for i := range j.plan.Targets {
		t := &j.plan.Targets[i]
		a := actionOf(t)
		if a < ToWrite || a > ToSweep || t.Kind != Plain || t.Real == "" || t.Unknown || t.Flags&command.Possible != 0 {
			continue
		}
		f.Write = append(f.Write, j.grant(t, a))
	}
}

// replacers put a new file in the place of an old one: for the kernel that is a new name.
var replacers = names{"mv", "ln", "install", "sed", "rsync", "perl", "ruby"}

// replaces reports whether the command of a target puts a new file in the place of the one that is
// there.
func (j *judgement) replaces(t *Target) bool {
	return t.Exists && t.Command >= 0 && t.Command < len(j.script.Commands) && replacers.has(path.Base(j.script.Commands[t.Command].Name))
}

func (j *judgement) grant(t *Target, a Action) Grant {
	g := Grant{Path: t.Real, Missing: t.Missing, File: t.file.open(), Tree: t.Flags&(command.Recursive|command.Below) != 0}
	replaced := a == ToWrite && j.replaces(t)
	if a == ToWrite && t.Exists && !replaced || a == ToChange && t.Exists {
		return g
	}
	g.Entry, g.Dir = true, t.dir.open()
	switch name, _, _ := strings.Cut(t.Missing, "/"); {
	case name != "":
		g.Parent, g.Dir, g.Names = t.Real, t.file.open(), []string{name}
	case t.Mode.IsDir() && a == ToWrite && !t.below():
		g.Parent, g.Dir = t.Real, t.file.open() // cp file dir: a name in there
	default:
		g.Parent, g.Names = path.Dir(t.Real), []string{path.Base(t.Real)}
	}
	if replaced {
		g.Names = nil
	}
	g.Broad = j.broad(g.Parent) && !(t.Missing != "" && isSnapshotDir(g.Parent, j.homes))
	return g
}

// broad reports whether a directory holds, or is, what no name in it is worth.
func (j *judgement) broad(dir string) bool {
	const worth = 1<<markRestricted | 1<<markReadOnly | 1<<markState | 1<<markSecret | 1<<markStartup
	if isTop(dir) || j.isHome(dir) || j.p.tree.holds(dir)&worth != 0 {
		return true
	}
	found := false
	j.p.tree.at(dir, func(m mark) {
		found = found || worth&(1<<m.kind) != 0 || m.kind == markProtected && j.inside(dir) && !j.anyUses(m.tool)
	})
	return found
}

func (j *judgement) anyUses(tool string) bool { return tool != "" && j.uses(tool) }

// reveals grants reading for the secrets that the plan names: a person has seen them.
func (j *judgement) reveals(f *Fence) {
	for i := range j.plan.Targets {
		t := &j.plan.Targets[i]
		if a := actionOf(t); a != ToRead && a != ToExecute || t.Kind != Plain || !t.Exists || t.Unknown {
			continue
		}
		found := j.find(t, ToRead)
		if found.in[InSecret] && !found.in[InRestricted] && !found.in[InState] {
			f.Reveal = append(f.Reveal, Grant{Path: t.Real, File: t.file.open(), Tree: t.Flags&command.Recursive != 0})
		}
	}
}

func (j *judgement) uses(program string) bool {
	for i := range j.script.Commands {
		if j.isTool(i, program) {
			return true
		}
	}
	return false
}

// reach says whether the fence has a network, and to whom the plan talks.
func (j *judgement) reach(f *Fence, class Class) {
	j.hosts(f)
	if j.p.set.Network == NetOn && class != ReadOnly {
		f.Network, f.Hosts = true, nil
	}
}

func (j *judgement) hosts(f *Fence) {
	for i := range j.script.Effects {
		e := &j.script.Effects[i]
		if e.Right != command.Net || e.Net != nil && isLoopback(e.Net.Host) && e.Net.Static {
			continue
		}
		f.Network = true
		host := ""
		switch {
		case e.Net == nil || !e.Net.Static:
		case e.Net.Scheme == remoteScheme:
			host = j.plan.Remotes[e.Net.Host].Host
		default:
			host = e.Net.Host
		}
		if host != "" && !slices.Contains(f.Hosts, host) {
			f.Hosts = append(f.Hosts, host)
		}
	}
}

func expandAll(names, homes []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, expandHome(n, homes)...)
	}
	return out
}

// RestrictedPaths returns security.restricted_paths, absolute.
func (p Policy) RestrictedPaths() []string { return expandAll(p.set.RestrictedPaths, p.homes) }

// ReadOnlyPaths returns security.readonly_paths, absolute.
func (p Policy) ReadOnlyPaths() []string { return expandAll(p.set.ReadOnlyPaths, p.homes) }
