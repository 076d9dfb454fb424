package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/launcher/exit"
)

// absent names the machines of the fleet of which the bucket has nothing, and adds them to the
// error of those that it has. A machine in no fleet, or without etcd, does not know them.
func (f *fleet) absent(cmd *cobra.Command, there map[string]bool, found error) error {
	if f.o.Verify.Document != "" {
		return found
	}
	missing := int64(0)
	err := f.looking(cmd, func(ctx context.Context, d desk) error {
		all, err := d.Members(ctx)
		if err != nil {
			fmt.Fprintf(f.err, "tadactl fleet: machines of which the bucket has nothing are not "+
				"named: %v\n", err)
			return nil
		}
		for _, m := range all {
			if m.Revoked || there[m.ID] {
				continue
			}
			missing++
			if err := f.say(map[string]any{"machine": m.ID, "name": m.Name, "ok": false,
				"error": "no record of it in the bucket"},
				"%s  %s\n  no record of %s in the bucket\n", m.ID, m.Name, m.Name); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, member.ErrNotJoined) || missing == 0 && err == nil {
		return found
	}
	if err != nil {
		return cmp.Or(found, err)
	}
	none := fmt.Errorf("the bucket has no record of %s", audit.Plural(missing, "machine"))
	if found != nil {
		none = fmt.Errorf("%w; %w", found, none)
	}
	return &exitError{none, exit.Tampered}
}
