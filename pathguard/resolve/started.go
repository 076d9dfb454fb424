package resolve

import (
	"path"
	"slices"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse/command"
)

// Writes reports whether the plan says that it writes a name, or something in it but for what is in
// a folder of it, which may be "".
func (p *Plan) Writes(name, besides string) bool {
	return slices.ContainsFunc(p.Targets, func(t Target) bool {
		return t.Right != command.Read && t.Flags&command.Possible == 0 &&
			pathname.Within(t.Path(), name) &&
			(besides == "" || !pathname.Within(t.Path(), besides))
	})
}

// Started returns the names of the programs that the plan, or a file that it executes, starts.
func (p *Plan) Started() []string {
	names := []string{}
	for i := range p.Script.Commands {
		names = append(names, path.Base(p.Script.Commands[i].Name))
	}
	for i := range p.Inner {
		names = append(names, p.Inner[i].Plan.Started()...)
	}
	return names
}
