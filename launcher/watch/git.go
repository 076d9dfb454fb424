package watch

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/sandbox/gitmeta"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// The kernel makes existing hooks read-only. A file that a command leaves in a folder of git's own
// that did not exist before, or in a configuration that git itself has to rewrite, would run later
// and outside every sandbox; so it is searched for, and removed.

// maxGitNames bounds the search on either side of a run: a thousand names take less than a
// millisecond. Deeper parts of a larger tree are not searched, and the log says so.
const maxGitNames = 3000

// gitMetadata remembers what git would run in the folders that the command may write to, and takes
// back what the command left there.
func gitMetadata(b Before) compare {
	s := b.lookAtGit()
	if s == nil {
		return nil
	}
	return func(a After, out io.Writer) (Found, error) {
		found := Found{}
		if left := takeBack(s, b, a, out); len(left) > 0 {
			found["left_for_git"] = left
		}
		if s.Incomplete {
			found["git_search"] = "incomplete"
		}
		return found, nil
	}
}

// lookAtGit is nil where there are no such folders.
func (b Before) lookAtGit() *gitmeta.Snapshot {
	if len(b.Profile.Write) == 0 || b.Exact && !b.writesTrees() {
		return nil
	}
	s := gitmeta.Look(gitRoots(b.Profile.Write, b.Plan.Workspace), maxGitNames)
	for _, name := range b.Profile.ReadOnly { // one that is not there yet is kept by nothing
		if _, err := os.Lstat(name); err == nil {
			s.Kept = append(s.Kept, name)
		}
	}
	return s
}

// writesTrees reports whether a plan of which every write is known brings whole folders, in
// which a repository may lie that the plan does not name.
func (b Before) writesTrees() bool {
	for i := range b.Plan.Targets {
		if b.Plan.Targets[i].Flags&(command.Recursive|command.Below) != 0 {
			return true
		}
	}
	return slices.ContainsFunc(b.Plan.Script.Commands,
		func(c shellparse.Command) bool { return path.Base(c.Name) == "mv" })
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
		if !pathname.WithinAny(name, roots) {
			roots = append(roots, name)
		}
	}
	if at := slices.IndexFunc(roots,
		func(root string) bool { return pathname.Within(workspace, root) }); at > 0 {
		first := roots[at]
		roots = slices.Insert(slices.Delete(roots, at, at+1), 0, first)
	}
	return roots
}

// takeBack undoes what the command left for git to run, unless a person has allowed just that, and
// reports it. The lines are for the log too. For processes in the background, beside which a person
// works, nothing is deleted: the files found may be the person's.
func takeBack(s *gitmeta.Snapshot, b Before, a After, out io.Writer) []string {
	if !Keeps(a.Receipt) {
		s.Kept = nil
	}
	s.Careful = a.Careful
	var failed, done, quiet []string
	for _, c := range s.Changes() {
		switch change := c.String(); {
		case c.Kind == gitmeta.Removed && !b.deletes(c.Path):
			failed = append(failed, line(change,
				"; it cannot be restored, and it was not approved; level strong prevents "+
					"this (sandbox.require: strong)"))
		case c.Kind == gitmeta.Removed:
			quiet = append(quiet, change+"; it cannot be restored")
		case b.allowed(c, a.Approved):
			quiet = append(quiet, change+"; it was allowed")
		default:
			aside, err := s.Undo(c)
			switch {
			case err != nil:
				failed = append(failed,
					line(change, fmt.Sprintf("; it could not be undone: %v", err)))
			case aside != "":
				done = append(done, line(change,
					fmt.Sprintf("; it was undone, and a copy is kept as %q", filepath.Base(aside))))
			default:
				done = append(done, line(change, "; it was undone"))
			}
		}
	}
	told := notice.AtMost(append(failed, done...), "; %d of them could not be undone", len(failed))
	for _, each := range told {
		notice.Line(out, each)
	}
	return append(told, notice.AtMost(quiet, "", 0)...)
}

// deletes reports whether the plan, as it was judged, says that path goes or moves, by its own name
// or by a folder around it.
func (b Before) deletes(path string) bool {
	return slices.ContainsFunc(b.Plan.Targets, func(t pathguard.Target) bool {
		return t.Right == command.Delete && pathname.Within(path, t.Path())
	})
}

// Keeps reports whether what was to stay as it is inside of writable folders could not be changed
// by the command.
func Keeps(receipt sandbox.Receipt) bool {
	return receipt.Level != sandbox.None &&
		!slices.ContainsFunc(receipt.Lost,
			func(l sandbox.Loss) bool { return l.Protection == sandbox.Keeping })
}

// line is one finding with what became of it, as a terminal may show it.
func line(what, became string) string {
	return notice.Clip(notice.Visible(what)) + notice.Clip(notice.Visible(became))
}

// persisting are the rules whose question is whether something may be left to run later.
var persisting = []string{"code.hooks", "git.config-exec", "write.protected", "write.startup"}

// allowed reports whether the plan named the file, and so was judged with it, or a person approved
// a plan that said it would leave such files.
func (b Before) allowed(c gitmeta.Change, approved bool) bool {
	if c.Kind == gitmeta.Step && b.Plan.Script != nil &&
		namesSteps(b.Plan.Script.Commands, strings.Split(c.Value, "\n")) {
		return true
	}
	for i := range b.Plan.Targets {
		t := &b.Plan.Targets[i]
		if t.Right != command.Read && filepath.Clean(t.Path()) == c.Path {
			return true
		}
	}
	return slices.ContainsFunc(b.Verdict.Reasons, func(reason pathguard.Reason) bool {
		return approved && slices.Contains(persisting, reason.Rule)
	})
}

// namesSteps reports whether a git rebase of the line gives each of the steps by --exec, and so was
// judged with them.
func namesSteps(commands []shellparse.Command, steps []string) bool {
	named := map[string]bool{}
	for _, c := range commands {
		if path.Base(c.Name) != "git" || len(c.Args) < 2 || !c.Args[1].Static ||
			c.Args[1].Text != "rebase" {
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
