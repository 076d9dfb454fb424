package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/preimage"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/launcher/undo"
)

func (c *ctl) diff() *cobra.Command {
	var several preimage.Selection
	var form diffForm
	cmd := verb("diff [ID | --since ID | --session ID | --agent NAME] [PATH...]",
		cobra.ArbitraryArgs, c.opened(func(l *launcher.Launcher, _ *cobra.Command,
			args []string) error {
			if several == (preimage.Selection{}) && (len(args) == 0 || isPath(l, args[0])) {
				args = append([]string{""}, args...) // of the newest run
			}
			take, err := runsOf(l, several, &args)
			if err != nil {
				return err
			}
			paths, err := absolute(args)
			if err != nil {
				return err
			}
			slices.Reverse(take.Runs) // as it happened
			if c.json {
				return c.diffJSON(l, take.Runs, paths)
			}
			return c.paged(func(w io.Writer) error {
				return form.print(w, l, take.Runs, paths)
			})
		}))
	severalFlags(cmd, &several)
	cmd.Flags().BoolVar(&form.stat, "stat", false, "")
	cmd.Flags().BoolVar(&form.names, "name-only", false, "")
	cmd.MarkFlagsMutuallyExclusive("stat", "name-only")
	return cmd
}

// A diffForm is how changes are printed: as a unified diff, or less of it.
type diffForm struct{ stat, names bool }

func (f diffForm) print(w io.Writer, l *launcher.Launcher, ids, paths []string) error {
	commands := map[string]string{}
	if len(ids) > 1 && !f.names {
		for _, id := range ids {
			r, err := l.PastOfPart(id)
			if err != nil && !errors.Is(err, state.ErrNoSuch) {
				return err
			}
			commands[id] = cmp.Or(r.Inside, r.Command)
		}
	}
	for _, id := range ids {
		run, err := l.Kept(id)
		if err != nil {
			return fmt.Errorf("run %q: %w", id, err)
		}
		list := changesIn(run, paths)
		if command := commands[id]; command != "" && len(list) > 0 {
			fmt.Fprintf(w, "run %s  %s\n", id, brief(command))
		}
		if !f.stat && !f.names {
			if err := run.Diff(w, paths...); err != nil {
				return err
			}
			continue
		}
		for _, d := range list {
			if _, err := fmt.Fprintln(w, changeLine(d, f.names)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *ctl) diffJSON(l *launcher.Launcher, ids, paths []string) error {
	all := []any{}
	for _, id := range ids {
		run, err := l.Kept(id)
		if err != nil {
			return fmt.Errorf("run %q: %w", id, err)
		}
		all = append(all, runFacts(id, run, changesIn(run, paths)))
	}
	return c.printJSON(all)
}

func changesIn(run *undo.Run, paths []string) []undo.Change {
	return slices.DeleteFunc(run.Changes(),
		func(d undo.Change) bool { return !covers(paths, d.Path) })
}

// covers reports whether a path is one of paths or below one; all are when there are none.
func covers(paths []string, path string) bool {
	return len(paths) == 0 || slices.ContainsFunc(paths, func(p string) bool {
		return path == p || strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/")
	})
}

// changeWord is what happened to a path.
func changeWord(d undo.Change) string {
	switch {
	case d.From != "":
		return "renamed"
	case d.Before.Absent():
		return "added"
	case d.After.Absent():
		return "removed"
	}
	return "changed"
}

func changeLine(d undo.Change, name bool) string {
	if name {
		return inert(d.Path)
	}
	line := fmt.Sprintf("%-8s %s", changeWord(d), inert(d.Path))
	if d.From != "" {
		line += "  (from " + inert(filepath.Base(d.From)) + ")"
	}
	if b, a := d.Before, d.After; !b.Absent() && !a.Absent() {
		if b.Mode != a.Mode {
			line += fmt.Sprintf("  %v to %v", b.FileMode(), a.FileMode())
		}
		if b.Size != a.Size && a.Regular() {
			line += fmt.Sprintf("  %d to %s", b.Size, audit.Plural(a.Size, "byte"))
		}
	} else if !a.Absent() && a.Regular() {
		line += "  " + audit.Plural(a.Size, "byte")
	} else if b.Regular() {
		line += "  " + audit.Plural(b.Size, "byte")
	}
	return line
}

func runFacts(id string, run *undo.Run, list []undo.Change) any {
	s := run.Summary()
	files := []any{}
	for _, d := range list {
		files = append(files, map[string]any{"path": d.Path, "from": d.From,
			"change": changeWord(d), "before": stateFacts(d.Before),
			"after": stateFacts(d.After)})
	}
	return map[string]any{"run": id, "added": s.Added, "changed": s.Changed,
		"removed": s.Removed, "files": files}
}

func stateFacts(s undo.State) any {
	if s.Absent() {
		return nil
	}
	return map[string]any{"mode": s.FileMode().String(), "size": s.Size, "target": s.Target}
}
