package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/integration/fleet/agent"
)

// agent connects this machine until it is stopped.
func (f *fleet) agent(cmd *cobra.Command, _ []string) error {
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	// it ships transcripts and parts of the log that are packed
	d.l.Unpacking(audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder})
	a := agent.Agent{Launcher: d.l, Folder: d.folder, Etcd: d.Etcd, Now: time.Now, Out: f.err}
	return a.Run(cmd.Context())
}
