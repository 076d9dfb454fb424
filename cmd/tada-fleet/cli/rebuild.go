package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// rebuild rebuilds the approvals of this machine in etcd from its record.
func (f *fleet) rebuild(cmd *cobra.Command, _ []string) error {
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	r, err := f.agentOf(d).Rebuild(cmd.Context())
	if errors.Is(err, approval.ErrLocked) {
		return fmt.Errorf("%w; try: systemctl --user stop tada-fleet", err)
	}
	if err != nil {
		return err
	}
	return f.say(map[string]any{"dead": r.Dead, "expired": r.Expired, "runs": r.Runs,
		"grants": r.Grants}, "rebuilt in etcd: %s kept, %d expired, %s ended, %s without an end\n"+
		"one-time codes must be set up again: tadactl key totp\n"+
		"now start the agent again\n", audit.Plural(r.Dead, "answered question"), r.Expired,
		audit.Plural(r.Grants, "grant"), audit.Plural(r.Runs, "run"))
}
