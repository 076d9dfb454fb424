package cli

import "github.com/spf13/cobra"

func (c *ctl) quarantine() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quarantine",
		Short: "Let an agent read untrusted files, and do nothing else",
		Long: "Let an agent read untrusted files, and do nothing else. The main agent hands out references\n" +
			"to files and receives findings; it never sees the files. A session and its key exist in one\n" +
			"process, that of \"start\" or of \"run\". When it ends, everything it signed becomes invalid.",
	}
	cmd.AddCommand(c.quarantineStart(), c.quarantineRef(), c.quarantineVerify(), c.quarantineRun(),
		c.quarantineSchema(), c.quarantineResponse(), c.quarantineFindings(), c.quarantineStatus(),
		c.quarantineEnd())
	return verb(cmd)
}
