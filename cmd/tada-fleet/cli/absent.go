package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/integration/fleet/ship"
	"github.com/tada-run/tada-run/launcher/exit"
)

// absent names the machines of the fleet of which the bucket has nothing, and adds them to the
// error of those that it has. Those that other machines have met are known from the bucket; a
// machine in a fleet asks etcd too.
func (f *fleet) absent(cmd *cobra.Command, check ship.Check, there map[string]bool,
	found error) error {
	missing := int64(0)
	name := func(m document.Machine, why string) error {
		there[m.ID] = true
		missing++
		return f.say(map[string]any{"machine": m.ID, "name": m.Name, "ok": false, "error": why},
			"%s  %s\n  %s\n", m.ID, m.Name, why)
	}
	silent, err := check.Silent(cmd.Context(), there)
	for _, m := range silent {
		err = errors.Join(err, name(m, "joined at "+m.Joined.Local().Format(time.DateTime)+
			", and has shipped nothing"))
	}
	if err == nil && f.o.Verify.Document == "" {
		err = f.looking(cmd, func(ctx context.Context, d desk) error {
			all, err := d.Members(ctx)
			if err != nil {
				fmt.Fprintf(f.err, "tadactl fleet: machines of which the bucket has nothing may "+
					"not be named: %v\n", err)
				return nil
			}
			for _, m := range all {
				if m.Revoked || there[m.ID] {
					continue
				}
				if err := name(m.Machine, "no record of "+m.Name+" in the bucket"); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil && !errors.Is(err, member.ErrNotJoined) {
		return cmp.Or(found, err)
	}
	if missing == 0 {
		return found
	}
	none := fmt.Errorf("the bucket has no record of %s", audit.Plural(missing, "machine"))
	if found != nil {
		none = fmt.Errorf("%w; %w", found, none)
	}
	return &exitError{none, exit.Tampered}
}
