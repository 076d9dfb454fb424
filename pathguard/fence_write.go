package pathguard

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/command"
)

// writes grants what the plan names, and unless the plan is exact the ground that work
// happens on: the workspace, shared temporary files, caches.
func (j *judgement) writes(f *Fence) {
	defer func() {
		f.Write = slices.DeleteFunc(f.Write,
			func(g Grant) bool { return g.Tree && j.denies(g.Path, command.Write) })
	}()
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
	for _, real := range j.disk.Existing(nil, j.p.reals, pathname.TempDirs...) {
		f.Write = append(f.Write, Grant{Path: real, Tree: true})
	}
	j.caching(f)
}

// writesNamed grants the names alone.
func (j *judgement) writesNamed(f *Fence) {
	for i := range j.plan.Targets {
		t := &j.plan.Targets[i]
		a := actionOf(t)
		if a < ToWrite || a > ToSweep || t.Kind != walk.Plain || t.Real == "" || t.Unknown ||
			t.Flags&command.Possible != 0 {
			continue
		}
		f.Write = append(f.Write, j.grant(t, a))
	}
}

func (j *judgement) grant(t *resolve.Target, a Action) Grant {
	g := Grant{Path: t.Real, Missing: t.Missing, File: t.File(),
		Tree: t.Flags&(command.Recursive|command.Below) != 0}
	replaced := a == ToWrite && j.replaces(t)
	link := t.Mode&fs.ModeSymlink != 0 // it cannot be mounted, so its folder is
	if t.Exists && !link && (a == ToChange || a == ToWrite && !replaced) {
		return g
	}
	g.Entry, g.Dir = true, t.DirFile()
	switch name, _, _ := strings.Cut(t.Missing, "/"); {
	case name != "":
		g.Parent, g.Dir, g.Names = t.Real, t.File(), []string{name}
	case t.Mode.IsDir() && a == ToWrite && !t.Below():
		g.Parent, g.Dir = t.Real, t.File() // cp file dir: a name in there
	default:
		g.Parent, g.Names = path.Dir(t.Real), []string{path.Base(t.Real)}
	}
	if replaced {
		g.Names = nil
	}
	g.Broad = j.broad(g.Parent) && !(t.Missing != "" &&
		pathname.IsSnapshotDir(g.Parent, j.homes, j.plan.Caller.Moved))
	return g
}

// broad reports whether a directory holds, or is, what no name in it is worth.
func (j *judgement) broad(dir string) bool {
	const worth = 1<<markRestricted | 1<<markReadOnly | 1<<markState | 1<<markSecret |
		1<<markStartup
	if isTop(dir) || j.isHome(dir) || j.p.tree.holds(dir)&worth != 0 {
		return true
	}
	found := false
	j.p.tree.at(dir, func(m mark) {
		found = found || worth&(1<<m.kind) != 0 ||
			m.kind == markProtected && j.plan.Caller.HasAgent(m.only) && j.inside(dir) &&
				!j.anyUses(m.tool)
	})
	return found
}

// anyUses reports whether the tool that a protected name belongs to runs in the line and changes
// something. What it only shows opens nothing to the rest of the line.
func (j *judgement) anyUses(tool string) bool {
	if tool == "" {
		return false
	}
	for i := range j.script.Commands {
		if !j.script.Commands[i].ReadOnly && j.isTool(i, tool) {
			return true
		}
	}
	return false
}

// replacers put a new file in the place of an old one: for the kernel that is a new name.
var replacers = []string{"mv", "ln", "install", "sed", "rsync", "perl", "ruby"}

// replaces reports whether the command of a target puts a new file in the place of the one that is
// there.
func (j *judgement) replaces(t *resolve.Target) bool {
	return t.Exists && t.Command >= 0 && t.Command < len(j.script.Commands) &&
		slices.Contains(replacers, path.Base(j.script.Commands[t.Command].Name))
}

// WritesBeyond reports whether the plan, or a file that it executes, changes a name that is neither
// in the workspace nor in a directory for temporary files. Its sandbox then lets it change that.
func WritesBeyond(p *Plan) bool {
	beyond := func(t resolve.Target) bool {
		return t.Right != command.Read && t.Right != command.Exec && !t.Unknown &&
			t.Flags&command.Possible == 0 && !pathname.Within(t.Path(), p.Workspace) &&
			!pathname.WithinAny(t.Path(), pathname.TempDirs) && !pathname.Within(t.Path(), "/dev")
	}
	return slices.ContainsFunc(p.Targets, beyond) || slices.ContainsFunc(p.Inner,
		func(in resolve.Inner) bool { return WritesBeyond(in.Plan) })
}
