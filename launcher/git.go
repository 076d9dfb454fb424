package launcher

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/sandbox/gitmeta"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// The kernel keeps the hooks that are there as they are. What a command leaves in a folder of
// git's own that did not exist before, or in a configuration that git itself has to rewrite,
// would run later and outside every fence; so it is looked for, and taken back.

// maxGitNames bounds the search on either side of a run: a thousand names take less than a
// millisecond. What lies deeper in a larger tree is not looked at, and the record says so.
const maxGitNames = 3000

// gitMetadata remembers what git would run in the folders that the command may write to, and takes
// back what the command left there.
func gitMetadata(b before) compare {
	s := b.lookAtGit()
	if s == nil {
		return nil
	}
	return func(e *ended, out io.Writer) (object, error) {
		found := object{}
		if left := e.takeBack(s, out); len(left) > 0 {
			found["left_for_git"] = left
		}
		if s.Incomplete {
			found["git_search"] = "incomplete"
		}
		return found, nil
	}
}

// lookAtGit is nil where there are no such folders.
func (b before) lookAtGit() *gitmeta.Snapshot {
	if len(b.profile.Write) == 0 || b.fence().Exact && !b.writesTrees() {
		return nil
	}
	s := gitmeta.Look(gitRoots(b.profile.Write, b.Plan.Workspace), maxGitNames)
	for _, name := range b.profile.ReadOnly { // one that is not there yet is kept by nothing
		if _, err := os.Lstat(name); err == nil {
			s.Kept = append(s.Kept, name)
		}
	}
	return s
}

// writesTrees reports whether a plan of which every write is known brings whole folders, in
// which a repository may lie that the plan does not name.
func (j *Judgement) writesTrees() bool {
	for i := range j.Plan.Targets {
		if j.Plan.Targets[i].Flags&(command.Recursive|command.Below) != 0 {
			return true
		}
	}
	return slices.ContainsFunc(j.Plan.Script.Commands, func(c shellparse.Command) bool { return path.Base(c.Name) == "mv" })
}

// gitRoots are the trees to search: none twice, the workspace first and then the widest, so
// that the bound is not spent on what is named along with it, or on caches.
func gitRoots(write []sandbox.Path, workspace string) []string {
	var names, roots []string
	for _, w := range write {
		if !slices.Contains(environ.SharedTemp, w.Name) {
			names = append(names, w.Name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(a) - len(b) })
	for _, name := range names {
		if !slices.ContainsFunc(roots, func(root string) bool { return isWithin(name, root) }) {
			roots = append(roots, name)
		}
	}
	if at := slices.IndexFunc(roots, func(root string) bool { return isWithin(workspace, root) }); at > 0 {
		first := roots[at]
		roots = slices.Insert(slices.Delete(roots, at, at+1), 0, first)
	}
	return roots
}

func isWithin(name, root string) bool {
	return name == root || strings.HasPrefix(name, strings.TrimSuffix(root, "/")+"/")
}

// What is told of one run is bounded: a command that leaves thousands of hooks with names of
// control characters must not flood the terminal, nor make its own end too long to record.
const (
	maxGitTold = 12
	maxGitLine = 240
)

// takeBack undoes what the command left for git to run, unless a person has allowed just that,
// and tells it. The lines are for the record too. For what ran in the background, beside which
// a person works, nothing is deleted: what is found may be theirs.
func (e *ended) takeBack(s *gitmeta.Snapshot, out io.Writer) []string {
	if !keeps(e.receipt) {
		s.Kept = nil
	}
	s.Careful = e.Request.Started != nil || e.isOver()
	var failed, done, quiet []string
	for _, c := range s.Changes() {
		switch line := c.String(); {
		case c.Kind == gitmeta.Removed && !e.deletes(c.Path):
			failed = append(failed, gitLine(line, "; it cannot be restored, and it was not approved; level strong prevents this (sandbox.require: strong)"))
		case c.Kind == gitmeta.Removed:
			quiet = append(quiet, line+"; it cannot be restored")
		case e.allowed(c):
			quiet = append(quiet, line+"; it was allowed")
		default:
			aside, err := s.Undo(c)
			switch {
			case err != nil:
				failed = append(failed, gitLine(line, fmt.Sprintf("; it could not be undone: %v", err)))
			case aside != "":
				done = append(done, gitLine(line, fmt.Sprintf("; it was undone, and a copy is kept as %q", filepath.Base(aside))))
			default:
				done = append(done, gitLine(line, "; it was undone"))
			}
		}
	}
	told := atMost(append(failed, done...), "; %d of them could not be undone", len(failed))
	for _, line := range told {
		fmt.Fprintf(out, "tada-run: %s\n", line)
	}
	return append(told, atMost(quiet, "", 0)...)
}

// deletes reports whether the plan, as it was judged, says that path goes or moves, by its own name
// or by a folder around it.
func (j *Judgement) deletes(path string) bool {
	return slices.ContainsFunc(j.Plan.Targets, func(t pathguard.Target) bool {
		return t.Right == command.Delete && isWithin(path, t.Path())
	})
}

// keeps reports whether what was to stay as it is inside of writable folders could not be changed by the command.
func keeps(receipt sandbox.Receipt) bool {
	return receipt.Level == sandbox.Strong &&
		!slices.ContainsFunc(receipt.Lost, func(l sandbox.Loss) bool { return l.Protection == sandbox.Keeping })
}

// gitLine is one finding with what became of it, as a terminal may show it.
func gitLine(what, became string) string { return clip(visible(what)) + clip(visible(became)) }

// clip leaves out the middle of what is too long: a path says most at its ends.
func clip(line string) string {
	if len(line) <= maxGitLine {
		return line
	}
	head, tail := line[:maxGitLine/2], line[len(line)-maxGitLine/2:]
	return strings.ToValidUTF8(head, "") + "..." + strings.ToValidUTF8(tail, "")
}

// atMost returns the first lines and how many more there are.
func atMost(lines []string, failing string, failed int) []string {
	if len(lines) <= maxGitTold {
		return lines
	}
	more := fmt.Sprintf("and %d more of this kind", len(lines)-maxGitTold)
	if failed > maxGitTold {
		more += fmt.Sprintf(failing, failed)
	}
	return append(lines[:maxGitTold:maxGitTold], more)
}

// persisting are the rules whose question is whether something may be left to run later.
var persisting = []string{"code.hooks", "git.config-exec", "write.protected", "write.startup"}

// allowed reports whether the plan named the file, and so was judged with it, or a person said
// yes to a plan that said it would leave such things.
func (p permitted) allowed(c gitmeta.Change) bool {
	if c.Kind == gitmeta.Step && p.Plan.Script != nil && namesSteps(p.Plan.Script.Commands, strings.Split(c.Value, "\n")) {
		return true
	}
	for i := range p.Plan.Targets {
		t := &p.Plan.Targets[i]
		if t.Right != command.Read && filepath.Clean(t.Path()) == c.Path {
			return true
		}
	}
	for _, reason := range p.Verdict.Reasons {
		if p.envelope != "" && slices.Contains(persisting, reason.Rule) {
			return true
		}
	}
	return false
}

// namesSteps reports whether a git rebase of the line gives each of the steps by --exec, and so was judged with them.
func namesSteps(commands []shellparse.Command, steps []string) bool {
	named := map[string]bool{}
	for _, c := range commands {
		if path.Base(c.Name) != "git" || len(c.Args) < 2 || !c.Args[1].Static || c.Args[1].Text != "rebase" {
			continue
		}
		for i, a := range c.Args {
			text, glued := strings.CutPrefix(a.Text, "--exec=")
			if !glued {
				text, glued = strings.CutPrefix(a.Text, "-x")
			}
			if (a.Text == "--exec" || a.Text == "-x") && i+1 < len(c.Args) {
				a, glued = c.Args[i+1], true
				text = a.Text
			}
			if glued && a.Static {
				named[text] = true
			}
		}
	}
	return !slices.ContainsFunc(steps, func(step string) bool { return step == "" || !named[step] })
}
