package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/launcher"
)

// policyForce puts what was tried in force.
func (f *fleet) policyForce(cmd *cobra.Command, args []string) error {
	how, err := f.gateNext(cmd, args[0], func(p people.Policy) (document.Bundle, bool) {
		return p.Tried, p.Tried.Text != "" // else ForcePolicy says what to do
	})
	if err != nil {
		return err
	}
	how.Despite = f.o.Policy.Despite
	return f.signing(cmd, func(ctx context.Context, d desk, key approval.Key) error {
		if err := d.recordUngated(key, args[0], how, false); err != nil {
			return err
		}
		b, err := d.ForcePolicy(ctx, key, args[0], how)
		if err != nil {
			return err
		}
		return f.said(b, "is in force on %s", named(b.Machines))
	})
}

// policyWithdraw ends a bundle. What it held back is let go, so it passes the gate too.
func (f *fleet) policyWithdraw(cmd *cobra.Command, args []string) error {
	how, err := f.gateNext(cmd, args[0], func(p people.Policy) (document.Bundle, bool) {
		return document.Bundle{Version: p.Force.Version}, true
	})
	if err != nil {
		return err
	}
	return f.signing(cmd, func(ctx context.Context, d desk, key approval.Key) error {
		if err := d.recordUngated(key, args[0], how, true); err != nil {
			return err
		}
		b, err := d.Withdraw(ctx, key, args[0], how)
		if err != nil {
			return err
		}
		return f.said(b, "ends the bundle on every machine")
	})
}

// recordUngated records that a change passes no gate, if it does not.
func (d desk) recordUngated(key approval.Key, name string, how people.Change,
	withdrawn bool) error {
	if how.Ungated == "" {
		return nil
	}
	return d.l.RecordUngated(launcher.Ungated{Bundle: name, Version: how.Version, By: key.Name,
		Why: how.Ungated, Withdrawn: withdrawn})
}

// gateNext judges again what ran, under what would be in force next. Where nothing is shipped, or a
// person does without, it says so, and how says why.
func (f *fleet) gateNext(cmd *cobra.Command, name string,
	next func(people.Policy) (b document.Bundle, is bool)) (how people.Change, err error) {
	var list []draft
	var now document.Fleet
	if err := f.looking(cmd, func(ctx context.Context, d desk) error {
		p, err := d.Policy(ctx, name)
		if err != nil {
			return err
		}
		if b, is := next(p); is {
			list, how.Version = drafts(p, b), b.Version
		}
		now, err = d.Fleet(ctx)
		return err
	}); err != nil || len(list) == 0 {
		return how, err
	}
	how.Ungated, err = f.without(now.Ship)
	if err != nil {
		return how, err
	}
	if how.Ungated != "" {
		fmt.Fprintf(f.err, "tadactl fleet: WITHOUT THE GATE: the runs of the fleet were not "+
			"judged again for bundle %q version %d: %s; this is recorded\n", name, how.Version,
			how.Ungated)
		return how, nil
	}
	for _, x := range list {
		if err := f.gate(cmd, x); err != nil {
			var closed *exitError
			if !errors.As(err, &closed) {
				err = fmt.Errorf("the gate could not be run, so nothing was signed: %w; to do "+
					"it all the same: --no-gate REASON", err)
			}
			return how, err
		}
	}
	return how, nil
}
