package cli

import "github.com/spf13/cobra"

func (c *ctl) quarantine() *cobra.Command {
	cmd := &cobra.Command{Use: "quarantine"}
	cmd.AddCommand(c.quarantineStart(), c.quarantineRef(), c.quarantineVerify(), c.quarantineRun(),
		c.quarantineSchema(), c.quarantineResponse(), c.quarantineFindings(), c.quarantineStatus(),
		c.quarantineEnd())
	return cmd
}
