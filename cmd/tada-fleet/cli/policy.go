package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/pathguard"
)

// policyPush has machines try a configuration.
func (f *fleet) policyPush(cmd *cobra.Command, args []string) error {
	which, err := document.ParseSelector(f.o.Policy.Label)
	if err != nil {
		return usagef("--label: %w", err)
	}
	text, err := readFile(args[1])
	if err != nil {
		return err
	}
	if err := f.pushGate(cmd, draft{file: args[1], text: text, machines: which}); err != nil {
		return err
	}
	return f.signing(cmd, func(ctx context.Context, d desk, key approval.Key) error {
		failed, err := d.l.BundleCases(args[1], text)
		if err != nil {
			return err
		}
		if len(failed) > 0 {
			return failing(args[1], failed)
		}
		b, err := d.Push(ctx, key, args[0], which, string(text))
		if err != nil {
			return err
		}
		return f.said(b, "is now on trial on %s. See the result: tadactl fleet "+
			"policy status %s", named(which), b.Name)
	})
}

// failing is the error for cases that fail.
func failing(file string, cases []pathguard.CaseResult) error {
	var lines strings.Builder
	for _, c := range cases {
		fmt.Fprintf(&lines, "\n  %q: %q", c.Case.Command, c.Failed)
	}
	return fmt.Errorf("%q: %s failed, so it was not signed:%s", file,
		audit.Plural(len(cases), "case"), lines.String())
}

// said prints what was done to a bundle.
func (f *fleet) said(b document.Bundle, format string, args ...any) error {
	return f.say(map[string]any{"name": b.Name, "version": b.Version, "stage": b.Stage,
		"machines": b.Machines.String(), "withdrawn": b.Text == ""},
		"%s version %d %s\n", b.Name, b.Version, fmt.Sprintf(format, args...))
}

// named is the machines that a selector selects, for people.
func named(s document.Selector) string {
	if s.String() == document.Everywhere().String() {
		return "all machines"
	}
	return "machines with " + s.String()
}
