package launcher

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/sandbox/gitmeta"
	"github.com/tada-run/tada-run/shellparse/command"
)

// The kernel keeps the hooks that are there as they are. What a command leaves in a folder of
// git's own that did not exist before, or in a configuration that git itself has to rewrite,
// would run later and outside every fence; so it is looked for, and taken back.

// maxGitNames bounds the search on either side of a run: a thousand names take less than a
// millisecond. What lies deeper in a larger tree is not looked at, and the record says so.
const maxGitNames = 3000

// lookAtGit remembers what git would run in the folders that the command may write to, nil
// when there are none.
func lookAtGit(p sandbox.Profile, exact bool) *gitmeta.Snapshot {
	if exact || len(p.Write) == 0 {
		return nil
	}
	var roots []string
	for _, w := range p.Write {
		if !slices.Contains(sharedTemp, w.Name) {
			roots = append(roots, w.Name)
		}
	}
	return gitmeta.Look(roots, maxGitNames)
}

// sharedTemp is everybody's, and has as many names as everybody left there.
var sharedTemp = []string{"/tmp", "/var/tmp", "/dev/shm"}

// takeBack undoes what the command left for git to run, unless a person has allowed just that,
// and tells it. The lines are for the record too.
func (r *run) takeBack(out io.Writer) []string {
	if r.git == nil {
		return nil
	}
	var told []string
	for _, c := range r.git.Changes() {
		line := c.String()
		switch {
		case c.Kind == gitmeta.Removed:
			line += "; it cannot be brought back"
		case r.allowed(c):
			line += "; it was allowed"
		default:
			if err := r.git.Undo(c); err != nil {
				line += fmt.Sprintf("; it could not be taken back: %v", err)
			} else {
				line += "; it was taken back"
			}
			fmt.Fprintf(out, "tada-run: %s\n", visible(line))
		}
		told = append(told, line)
	}
	return told
}

// persisting are the rules whose question is whether something may be left to run later.
var persisting = []string{"code.hooks", "git.config-exec", "write.protected", "write.startup"}

// allowed reports whether the plan named the file, and so was judged with it, or a person said
// yes to a plan that said it would leave such things.
func (r *run) allowed(c gitmeta.Change) bool {
	for i := range r.Plan.Targets {
		t := &r.Plan.Targets[i]
		if t.Right != command.Read && filepath.Clean(t.Path()) == c.Path {
			return true
		}
	}
	for _, reason := range r.Verdict.Reasons {
		if r.envelope != "" && slices.Contains(persisting, reason.Rule) {
			return true
		}
	}
	return false
}
