package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/pathguard"
)

func (c *ctl) policy() *cobra.Command {
	cmd := &cobra.Command{Use: "policy"}
	cmd.AddCommand(c.policyShow(), c.policyEdit(), c.policyCheck(), c.policyInit(),
		c.policyLearn(), c.policyExplain(), c.policyReplay(),
		c.policyTest(), c.policyAccept(), c.policyShadow())
	return cmd
}

func (c *ctl) policyShow() *cobra.Command {
	return verb("show", cobra.NoArgs, func(*cobra.Command, []string) error {
		l, dir, err := c.judgeHere()
		if err != nil {
			return err
		}
		p, _, err := l.PolicyIn(dir)
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(policyFacts(p))
		}
		return p.Describe(c.out)
	})
}

// policyFacts is the policy as --json prints it: the settings under their names in the file, where
// they come from, and the table as place, action, verdict.
func policyFacts(p pathguard.Policy) map[string]any {
	table := map[string]map[string]string{}
	for _, row := range pathguard.Table() {
		cells := map[string]string{}
		for i, cell := range row.Cells {
			cells[pathguard.Action(i).String()] = cell.Decision.String()
		}
		table[row.Place.String()] = cells
	}
	sources := map[string][]string{}
	facts := map[string]any{"digest": p.Digest(), "notes": p.Notes(), "table": table,
		"sources": sources}
	for _, s := range p.Explain() {
		into, name := facts, s.Name
		if section := s.Section(); section != "" {
			if facts[section] == nil {
				facts[section] = map[string]any{}
			}
			into, name = facts[section].(map[string]any), strings.TrimPrefix(name, section+".")
		}
		into[name] = s.Value
		for _, from := range s.Sources {
			sources[s.Name] = append(sources[s.Name], from.String())
		}
	}
	return facts
}

func (c *ctl) policyCheck() *cobra.Command {
	return verb("check", cobra.NoArgs, func(*cobra.Command, []string) error {
		l, dir, err := c.judgeHere()
		if err != nil {
			return err
		}
		p, _, err := l.PolicyIn(dir)
		if err != nil {
			return err
		}
		stops := p.Stops(dir, filepath.SplitList(os.Getenv("PATH")))
		failed := append([]pathguard.CaseResult{}, l.Failing()...)
		if c.json {
			err = c.printJSON(struct {
				Digest string                 `json:"digest"`
				Stops  []string               `json:"stops"`
				Failed []pathguard.CaseResult `json:"failed"`
			}{l.Policy().Digest(), append([]string{}, stops...), failed})
		} else {
			err = c.printChecked(stops, failed, l.Policy().Digest())
		}
		if err == nil && len(failed) > 0 {
			err = failf(1, "%s failed, so the configuration before it applies too",
				audit.Plural(len(failed), "case"))
		}
		return err
	})
}

func (c *ctl) printChecked(stops []string, failed []pathguard.CaseResult,
	digest string) (err error) {
	for _, line := range stops {
		fmt.Fprintln(c.out, line)
	}
	for _, r := range failed {
		fmt.Fprintln(c.out, caseLine(r))
	}
	if len(failed) == 0 {
		_, err = fmt.Fprintf(c.out, "ok, digest %s\n", digest)
	}
	return err
}
