package cli

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/pathguard"
)

func (c *ctl) policyTest() *cobra.Command {
	return verb("test [FILE]", cobra.MaximumNArgs(1), func(_ *cobra.Command, args []string) error {
		l, dir, err := c.judgeHere()
		if err != nil {
			return err
		}
		p, err := tried(l, dir, args)
		if err != nil {
			return err
		}
		return c.printCases(l.Cases(p))
	})
}

// tried is the policy of another configuration, or, with what the workspace says, that of the one
// in the state directory: not of the two that are in force while cases fail.
func tried(l *launcher.Launcher, dir string, args []string) (p pathguard.Policy, err error) {
	file := l.Home().Config()
	if len(args) > 0 {
		file = args[0]
	}
	text, err := readConfig(file)
	switch {
	case len(args) == 0 && os.IsNotExist(err):
		p, _, err = l.PolicyIn(dir)
		return p, err
	case err != nil:
		return p, err
	}
	return l.PolicyFrom(file, text)
}

// printCases prints the cases that fail, and how many there are; it fails if one does.
func (c *ctl) printCases(all []pathguard.CaseResult) error {
	failed := slices.DeleteFunc(slices.Clone(all),
		func(r pathguard.CaseResult) bool { return r.Failed == "" })
	switch {
	case c.json:
		if err := c.printJSON(map[string]any{"cases": append([]pathguard.CaseResult{}, all...),
			"failed": len(failed)}); err != nil {
			return err
		}
	case len(failed) == 0:
		fmt.Fprintf(c.out, "%s passed\n", audit.Plural(len(all), "case"))
	default:
		for _, r := range failed {
			fmt.Fprintln(c.out, caseLine(r))
		}
	}
	if len(failed) > 0 {
		return failf(1, "%d of %s failed", len(failed), audit.Plural(len(all), "case"))
	}
	return nil
}

// caseLine says of a case that fails where it is and why.
func caseLine(r pathguard.CaseResult) string {
	where := ""
	if r.Source != "" {
		where = render.Inert(r.Source) + ": "
	}
	return fmt.Sprintf("%s%s: %s", where, brief(r.Case.Command), render.Inert(r.Failed))
}
