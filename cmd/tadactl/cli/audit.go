package cli

import "github.com/spf13/cobra"

func (c *ctl) audit() *cobra.Command {
	cmd := &cobra.Command{Use: "audit"}
	cmd.AddCommand(c.auditVerify(), c.log(), c.auditExport(), c.auditHead(), c.auditSeal(),
		c.auditCheckpoint(), c.auditProve(), c.checkProof(), c.auditRedact(), c.auditAccept(),
		c.auditWitness())
	return cmd
}
