package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
)

// policyList lists the bundles.
func (f *fleet) policyList(cmd *cobra.Command, _ []string) error {
	return f.looking(cmd, func(ctx context.Context, d desk) error {
		all, err := d.Policies(ctx)
		if err != nil {
			return err
		}
		listed := 0
		for _, p := range all {
			for _, b := range []document.Bundle{p.Force, p.Tried} {
				if b.Text == "" && b.Ungated == "" {
					continue
				}
				listed++
				what := named(b.Machines)
				if b.Text == "" {
					what = "withdrawn"
				}
				if err := f.say(map[string]any{"name": b.Name, "version": b.Version,
					"stage": b.Stage, "machines": b.Machines.String(), "by": b.By,
					"ungated": b.Ungated, "withdrawn": b.Text == ""},
					"%-16s  version %-4d  %-6s  %s  by %s%s\n", b.Name, b.Version,
					b.Stage, what, strings.Join(b.By, ", "), gateOf(b)); err != nil {
					return err
				}
			}
		}
		if listed == 0 {
			return f.none("no bundles")
		}
		return nil
	})
}

// gateOf says that a bundle is in force, or ended, without a gate; "" if it is not.
func gateOf(b document.Bundle) string {
	if b.Ungated == "" {
		return ""
	}
	return fmt.Sprintf(", without a gate: %q", b.Ungated)
}

// policyStatus says which version each machine has.
func (f *fleet) policyStatus(cmd *cobra.Command, args []string) error {
	return f.looking(cmd, func(ctx context.Context, d desk) error {
		p, err := d.Policy(ctx, args[0])
		if err != nil {
			return err
		}
		all, err := d.Members(ctx)
		if err != nil {
			return err
		}
		printed := 0
		for _, m := range all {
			if m.Revoked {
				continue
			}
			for _, s := range p.On(m) {
				printed++
				if err := f.standing(m, s); err != nil {
					return err
				}
			}
		}
		if printed == 0 {
			return f.none(fmt.Sprintf("no machine has bundle %s", p.Name))
		}
		return nil
	})
}

// standing prints what a machine has of a bundle.
func (f *fleet) standing(m people.Member, s people.Standing) error {
	what := "has no version"
	switch {
	case s.Error != "":
		what = fmt.Sprintf("cannot use version %d: %q", s.Version, s.Error)
	case s.Stage == document.Shadow:
		what = fmt.Sprintf("version %d is on trial: %s tried, %d with another verdict, "+
			"%d denied", s.Version, audit.Plural(s.Runs, "run"), s.Differ, s.Denied)
	case s.Stage == document.Force:
		what = fmt.Sprintf("version %d is in force", s.Version)
	}
	return f.say(map[string]any{"id": m.ID, "name": m.Name, "state": stateOf(m),
		"version": s.Version, "stage": s.Stage, "runs": s.Runs, "differ": s.Differ,
		"denied": s.Denied, "error": s.Error}, "%s  %-16s  %-30s  %s\n", m.ID, m.Name,
		standing(m), what)
}
