package cli

import "github.com/spf13/cobra"

func (c *ctl) key() *cobra.Command {
	cmd := &cobra.Command{Use: "key"}
	cmd.AddCommand(c.keyInit(), c.keyShow(), c.keyTrust(), c.keyUntrust(), c.keyTOTP(),
		c.keyDelegate(), c.keyPair(), c.keyList(), c.keyRevoke())
	return cmd
}
