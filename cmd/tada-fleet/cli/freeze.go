package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/launcher/exit"
)

// freeze stops machines.
func (f *fleet) freeze(cmd *cobra.Command, _ []string) error {
	which, err := document.ParseSelector(f.o.Freeze.Label)
	if err != nil {
		return usagef("--label: %w", err)
	}
	return f.signing(cmd, func(ctx context.Context, d desk, key approval.Key) error {
		o, err := d.Freeze(ctx, key, document.Freeze{Machines: which,
			Reason: f.o.Freeze.Reason, Pause: f.o.Freeze.Pause, Time: time.Now()})
		if err != nil {
			return err
		}
		if err := f.say(map[string]any{"id": o.ID}, "freeze %s: %s. It ends when two "+
			"administrators type: tadactl fleet unfreeze %s\n", o.ID, named(which),
			o.ID); err != nil {
			return err
		}
		now, err := d.Fleet(ctx)
		if err == nil && len(now.Admins()) < 2 {
			fmt.Fprintln(f.err, "tadactl fleet: ending this freeze takes two administrators, and "+
				"the fleet has one; add another: tadactl fleet person add KEY --admin")
		}
		return err
	})
}

// unfreeze signs the end of a freeze.
func (f *fleet) unfreeze(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return f.freezes(cmd)
	}
	return f.signing(cmd, func(ctx context.Context, d desk, key approval.Key) error {
		by, err := d.Thaw(ctx, key, args[0])
		if err != nil {
			return err
		}
		word := "ended"
		if len(by) < 2 {
			f.code = exit.Pending
			word = "not ended: another administrator must sign too"
		}
		return f.say(map[string]any{"id": args[0], "signed": by, "ended": len(by) > 1},
			"freeze %s: %s; signed by %s\n", args[0], word, strings.Join(by, ", "))
	})
}

// freezes lists the freezes.
func (f *fleet) freezes(cmd *cobra.Command) error {
	return f.looking(cmd, func(ctx context.Context, d desk) error {
		all, err := d.Freezes(ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return f.none("no freezes")
		}
		for _, o := range all {
			state := "in force"
			if o.Ended {
				state = "ended"
			}
			order := fmt.Sprintf("%s  by %s  %s%s", o.Time.Local().Format(minutes),
				strings.Join(o.By, ", "), named(o.Machines), because(o.Reason))
			if o.Lapsed {
				order = "by someone who is no administrator now; machines may obey it still"
			}
			if err := f.say(map[string]any{"id": o.ID, "ended": o.Ended, "time": o.Time, "by": o.By,
				"machines": o.Machines.String(), "reason": o.Reason, "signed": o.ThawedBy,
				"lapsed": o.Lapsed}, "%s  %-8s  %s\n", o.ID, state, order); err != nil {
				return err
			}
		}
		return nil
	})
}

// because is the reason of a freeze after the rest; "" if none was given.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return fmt.Sprintf(": %q", reason)
}
