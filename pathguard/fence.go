package pathguard

import (
	"os"
	"slices"

	"github.com/tada-run/tada-run/shellparse/command"
)

// A Fence is what a plan may reach once it was allowed: the launcher makes the kernel's
// fence from it. Everything that is not named may be read, and not written.
type Fence struct {
	Write      []Grant  // what may be written, created and deleted
	Reveal     []Grant  // what may be read although Hide covers it: the plan names it
	ReadOnly   []string // existing paths below Write that stay as they are
	Hide       []string // existing paths that can be neither read nor written
	Network    bool     // more than loopback
	Hosts      []string // the hosts that the plan names; empty when any may be meant
	Require    Require  // the least level of the fence
	PrivateTmp bool
	Exact      bool // every write is known: Write holds the plan's targets and nothing wider
}

// A Grant is one file or directory with what is below it.
type Grant struct {
	Path    string   // real and existing
	Missing string   // the name to be made below Path; "" when Path itself is meant
	File    *os.File // Path, opened when the plan was made; nil for what only the policy names
	Tree    bool     // everything below Path is meant
	Entry   bool     // the name in its directory is meant too: it is created, renamed or deleted
}

// Fence derives the fence of a plan that was allowed, by the policy or by a person. The
// files in it are the plan's own and live as long as the plan.
func (p Policy) Fence(plan *Plan) Fence {
	if p.tree == nil || plan == nil || plan.Script == nil {
		return Fence{}
	}
	j := judgement{p: &p, plan: plan, script: plan.Script, homes: p.homes}
	f := Fence{Require: p.set.Require, PrivateTmp: p.set.PrivateTmp}
	class := j.class()
	f.Exact = class == ReadOnly || j.exact()
	j.writes(&f, class)
	j.reveals(&f)
	f.Hide = j.hidden(f.Reveal)
	f.ReadOnly = j.kept()
	j.reach(&f, class)
	return f
}

// exactPrograms do what their words say and nothing else: a plan of them alone needs no
// wider grant than its targets.
var exactPrograms = map[string]bool{
	"cat": true, "cp": true, "mv": true, "rm": true, "ln": true, "mkdir": true, "rmdir": true, "touch": true, "tee": true, "install": true,
	"chmod": true, "chown": true, "truncate": true, "dd": true, "head": true, "tail": true, "sort": true, "uniq": true, "cut": true, "tr": true,
	"wc": true, "grep": true, "ls": true, "stat": true, "sed": true, "echo": true, "printf": true, "true": true, "false": true, "test": true, "[": true,
	"seq": true, "date": true, "basename": true, "dirname": true, "readlink": true, "realpath": true, "cmp": true, "diff": true, "comm": true,
	"paste": true, "join": true, "fold": true, "nl": true, "od": true, "xxd": true, "base64": true, "sha256sum": true, "md5sum": true, "jq": true,
	"tac": true, "rev": true, "expand": true, "fmt": true, "pwd": true, "cd": true, "unlink": true, "link": true, "shuf": true, "mktemp": true,
}

// exact reports whether the text tells every write of the plan.
func (j *judgement) exact() bool {
	for _, c := range j.script.Commands {
		if !c.Known && !c.Builtin || !exactPrograms[c.Name] && !c.ReadOnly && !c.Builtin {
			return false
		}
		if c.Name == "mktemp" {
			return false
		}
	}
	for _, t := range j.plan.Targets {
		if t.Unknown && t.Right != command.Read {
			return false
		}
	}
	for _, e := range j.script.Effects {
		if e.Right == command.Exec || e.Flags&command.Source != 0 {
			return false
		}
	}
	return len(j.script.Opaque) == 0 && len(j.script.Codes) == 0 && len(j.plan.Limits) == 0
}

// writes grants what the plan names, and unless the plan is exact the ground that work
// happens on: the workspace, shared temporary files, caches.
func (j *judgement) writes(f *Fence, class Class) {
	for i := range j.plan.Targets {
		t := &j.plan.Targets[i]
		a := actionOf(t)
		if a < ToWrite || a > ToSweep || t.Kind != Plain || t.Real == "" || t.Unknown || t.Flags&command.Possible != 0 {
			continue
		}
		f.Write = append(f.Write, Grant{Path: t.Real, Missing: t.Missing, File: t.file,
			Tree: t.Flags&(command.Recursive|command.Below) != 0, Entry: a != ToWrite && a != ToChange || !t.Exists})
	}
	if f.Exact {
		return
	}
	if j.plan.Workspace != "" {
		g := Grant{Path: j.plan.Workspace, Tree: true}
		if j.plan.Workspace == j.plan.Dir {
			g.File = j.plan.DirFile
		}
		f.Write = append(f.Write, g)
	}
	for _, real := range existing(append(slices.Clone(tempDirs), expandAll(cacheNames, j.homes)...)) {
		f.Write = append(f.Write, Grant{Path: real, Tree: true})
	}
}

// reveals grants reading for the secrets that the plan names: a person has seen them.
func (j *judgement) reveals(f *Fence) {
	for i := range j.plan.Targets {
		t := &j.plan.Targets[i]
		if a := actionOf(t); a != ToRead && a != ToExecute || t.Kind != Plain || !t.Exists || t.Unknown {
			continue
		}
		found := j.find(t, ToRead)
		if found.in[InSecret] && !found.in[InRestricted] && !found.in[InState] {
			f.Reveal = append(f.Reveal, Grant{Path: t.Real, File: t.file, Tree: t.Flags&command.Recursive != 0})
		}
	}
}

// hidden lists what exists of the restricted paths, the secrets and tada-run's own state,
// without what the plan reveals. Names that can stand anywhere are looked for where work
// happens: in the workspace's root and in the working directory.
func (j *judgement) hidden(reveal []Grant) []string {
	names := slices.Clone(j.p.states)
	names = append(names, expandAll(j.p.set.RestrictedPaths, j.homes)...)
	for _, path := range expandAll(secretNames, j.homes) {
		if path[0] == '/' {
			names = append(names, path)
		}
	}
	for _, dir := range j.workDirs() {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if full := join(dir, e.Name()); j.marked(full, markSecret) {
				names = append(names, full)
			}
		}
	}
	var out []string
	for _, real := range existing(names) {
		if !j.public(real) {
			out = append(out, around(real, reveal)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// around lists what to hide so that a path is hidden and what is revealed in it is not:
// the path itself, or its other entries.
func around(path string, reveal []Grant) []string {
	inside := false
	for _, g := range reveal {
		if within(path, g.Path) {
			return nil
		}
		inside = inside || within(g.Path, path)
	}
	if !inside {
		return []string{path}
	}
	var out []string
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		out = append(out, around(join(path, e.Name()), reveal)...)
	}
	return out
}

func (j *judgement) workDirs() []string {
	var dirs []string
	if j.plan.Workspace != "" {
		dirs = append(dirs, j.plan.Workspace)
	}
	if j.plan.Dir != j.plan.Workspace && within(j.plan.Dir, j.plan.Workspace) {
		dirs = append(dirs, j.plan.Dir)
	}
	return dirs
}

func (j *judgement) marked(path string, kind markKind) bool {
	found := false
	j.p.tree.at(path, func(m mark) { found = found || m.kind == kind })
	return found && (kind != markSecret || !j.public(path))
}

func (j *judgement) public(path string) bool {
	found := false
	j.p.tree.at(path, func(m mark) { found = found || m.kind == markPublic })
	return found
}

// kept lists what exists below the writable ground and stays as it is: names that run
// later, and readonly paths, unless the plan writes them.
func (j *judgement) kept() []string {
	names := expandAll(j.p.set.ReadOnlyPaths, j.homes)
	keep := func(path string) { names = append(names, path) }
	git := j.uses("git")
	for _, dir := range j.workDirs() {
		for _, n := range protectedNames {
			name := n.name[len("**/"):]
			switch {
			case name == ".git" && git:
				keep(join(dir, ".git/hooks"))
			case n.tool != "" && j.uses(n.tool):
			default:
				keep(join(dir, name))
			}
		}
		keep(join(dir, ".tada"))
	}
	out := slices.DeleteFunc(existing(names), j.written)
	slices.Sort(out)
	return slices.Compact(out)
}

// written reports whether the plan writes a path or something below it.
func (j *judgement) written(path string) bool {
	for i := range j.plan.Targets {
		t := &j.plan.Targets[i]
		if a := actionOf(t); a >= ToWrite && a <= ToSweep && (within(t.Path(), path) || within(path, t.Path())) {
			return true
		}
	}
	return false
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
			host = j.plan.Remotes[e.Net.Host]
		default:
			host = e.Net.Host
		}
		if host != "" && !slices.Contains(f.Hosts, host) {
			f.Hosts = append(f.Hosts, host)
		}
	}
	if j.p.set.Network == NetOn && class != ReadOnly {
		f.Network, f.Hosts = true, nil
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
