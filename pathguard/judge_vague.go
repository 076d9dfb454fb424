package pathguard

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/code"
)

// keeps reports whether what a program writes stays where the sandbox keeps it and undo takes it
// back, whatever the names are that the program works out. Names that the line has are looked at:
// of its words, of the text, and of what the line writes for the program to read.
func (j *judgement) keeps(c *shellparse.Code) bool {
	if c.May == "" {
		return true // it writes what its effects say
	}
	dir := j.plan.Dir
	if c.Command >= 0 && c.Command < len(j.script.Commands) {
		dir = j.script.Commands[c.Command].Dir
	}
	if !j.keepsAll(dir, strings.Split(c.May, "\n")) {
		return false
	}
	for i := range j.script.Commands {
		of := &j.script.Commands[i]
		for _, w := range of.Args[min(1, len(of.Args)):] {
			_, value, _ := strings.Cut(w.Text, "=")
			if !w.Static && i == c.Command && !w.Glob ||
				w.Glob && !j.keepsMatches(of.Dir, w.Text) ||
				!j.keepsAll(of.Dir, []string{w.Text, value}) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(j.script.Written, func(f shellparse.Written) bool {
		return f.Text != c.Text && !j.keepsAll(dir, strings.FieldsFunc(f.Text, code.BetweenNames))
	})
}

// keepsAll reports whether a change of each of the names stays.
func (j *judgement) keepsAll(dir string, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		if !code.MayBePlace(name) {
			return false
		}
		home := j.plan.Caller.Home
		full := path.Clean(pathname.Join(dir, name))
		switch {
		case strings.HasPrefix(name, "~"):
			return true
		case path.IsAbs(name):
			full = path.Clean(name)
		case home != "" && j.marked(pathname.Join(home, name), markStartup):
			return true // the program may look for it there
		}
		return !j.inside(full) && !pathname.WithinAny(full, pathname.TempDirs) &&
			!pathname.WithinAny(full, pathname.HarmlessDevices) || slices.ContainsFunc(keptMarks,
			func(k markKind) bool { return j.marked(full, k) })
	})
}

// keepsMatches reports whether a change of each name that a pattern is aimed at stays.
func (j *judgement) keepsMatches(dir, glob string) bool {
	if !path.IsAbs(glob) {
		glob = pathname.Join(dir, glob)
	}
	kept := true
	j.p.tree.matches(glob, func(m mark) {
		kept = kept && (m.swept || !slices.Contains(keptMarks, m.kind))
	})
	return kept
}

// keptMarks are those of names that a program must not write unseen.
var keptMarks = []markKind{markRestricted, markReadOnly, markState, markWorkspaceState, markSecret,
	markProtected, markStartup, markCachedCode}
