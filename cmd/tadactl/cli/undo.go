package cli

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/preimage"
	"github.com/tada-run/tada-run/launcher/undo"
)

func (c *ctl) undo() *cobra.Command {
	var several preimage.Selection
	var both bool
	cmd := verb("undo [ID | --since ID | --session ID | --agent NAME] [PATH...]",
		cobra.ArbitraryArgs, c.outside(approval.RestoreFile, func(l *launcher.Launcher,
			_ *cobra.Command, args []string) error {
			if several == (preimage.Selection{}) && (len(args) == 0 || isPath(l, args[0])) {
				id, err := lastRun(l)
				if err != nil {
					return err
				}
				args = append([]string{id}, args...)
			}
			take, err := runsOf(l, several, &args)
			if err != nil {
				return err
			}
			take.KeepBoth = both
			if take.Paths, err = absolute(args); err != nil {
				return err
			}
			return c.takeBack(l, take)
		}))
	severalFlags(cmd, &several)
	cmd.Flags().BoolVar(&both, "keep-both", false, "")
	return cmd
}

// lastRun is what is taken back if no run is named.
func lastRun(l *launcher.Launcher) (string, error) {
	dir, err := here()
	if err != nil {
		return "", err
	}
	return l.LastRun(dir)
}

// severalFlags are the options that name several runs.
func severalFlags(cmd *cobra.Command, s *preimage.Selection) {
	cmd.Flags().StringVar(&s.Since, "since", "", "")
	cmd.Flags().StringVar(&s.Session, "session", "", "")
	cmd.Flags().StringVar(&s.Agent, "agent", "", "")
}

func (c *ctl) redo() *cobra.Command {
	var both bool
	cmd := verb("redo", cobra.NoArgs, c.outside(approval.RestoreFile, func(l *launcher.Launcher,
		_ *cobra.Command, _ []string) error {
		id, err := l.LastUndo()
		if err != nil {
			return err
		}
		return c.takeBack(l, undo.Take{Runs: []string{id}, KeepBoth: both})
	}))
	cmd.Flags().BoolVar(&both, "keep-both", false, "")
	return cmd
}

// runsOf are those that the words name, the newest first. The word of an ID is taken off.
func runsOf(l *launcher.Launcher, several preimage.Selection,
	args *[]string) (take undo.Take, err error) {
	if several != (preimage.Selection{}) {
		if several.Dir, err = here(); err == nil {
			take.Runs, err = l.KeptBy(several)
		}
		return take, err
	}
	id, err := l.KeptRun((*args)[0])
	if err == nil {
		take.Runs, err = l.Parts(id)
	}
	*args = (*args)[1:]
	return take, err
}

// isPath reports whether a word means a path, and not a run.
func isPath(l *launcher.Launcher, word string) bool {
	if strings.Contains(word, "/") {
		return true
	}
	_, err := os.Lstat(word)
	if err == nil {
		_, err = l.KeptRun(word)
		return err != nil
	}
	return false
}

// absolute are paths as a journal has them.
func absolute(paths []string) (list []string, err error) {
	for _, path := range paths {
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(dir, filepath.Base(path))
		}
		list = append(list, path)
	}
	return list, nil
}

// takeBack shows what it will do, asks, and does it.
func (c *ctl) takeBack(l *launcher.Launcher, take undo.Take) error {
	if _, err := l.May(approval.RestoreFile, approval.ChannelTadactl); err != nil {
		return err
	}
	steps, err := l.PlanUndo(take)
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		return c.say(map[string]any{"undo": nil, "steps": []any{}}, "nothing to do\n")
	}
	if err := c.agreed(steps); err != nil {
		return err
	}
	dir, _ := os.Getwd()
	result, err := l.Undo(take, launcher.UndoOrder{Over: approval.ChannelTadactl, Dir: dir,
		Command: "tadactl " + strings.Join(os.Args[1:], " ")})
	if err != nil {
		return err
	}
	if result.Refused > 0 {
		c.status = 1
	}
	if c.json {
		return c.printJSON(map[string]any{"undo": result.Run, "steps": stepFacts(result.Steps),
			"refused": result.Refused})
	}
	c.printSteps(result.Steps)
	fmt.Fprintf(c.out, "%s; to take this back: tadactl undo %s\n",
		audit.Plural(len(result.Steps)-result.Refused, "path")+" put back", result.Run)
	if result.Refused > 0 {
		fmt.Fprintf(c.out, "%s left as is: changed since; to write what was there beside it: "+
			"--keep-both\n", audit.Plural(result.Refused, "path"))
	}
	return nil
}

// agreed shows the steps on the person's terminal, and asks.
func (c *ctl) agreed(steps []undo.Step) error {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	defer tty.Close()
	for _, s := range steps {
		fmt.Fprintln(tty, stepLine(s))
	}
	fmt.Fprint(tty, "do this? type yes: ")
	line, _ := bufio.NewReader(tty).ReadString('\n')
	if strings.TrimSpace(line) != "yes" {
		return errUnconfirmed
	}
	return nil
}

func (c *ctl) printSteps(steps []undo.Step) {
	for _, s := range steps {
		fmt.Fprintln(c.out, stepLine(s))
	}
}

func stepLine(s undo.Step) string {
	line := fmt.Sprintf("%-8s %s", s.Do, inert(s.Path))
	if s.Why != "" {
		line += "  (" + render.Inert(s.Why) + ")"
	}
	return line
}

func stepFacts(steps []undo.Step) []any {
	list := []any{}
	for _, s := range steps {
		list = append(list, map[string]string{"path": s.Path, "do": string(s.Do), "why": s.Why})
	}
	return list
}
