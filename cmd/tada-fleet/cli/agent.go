package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/integration/fleet/agent"
)

// agent connects this machine until it is stopped, also where etcd moves to.
func (f *fleet) agent(cmd *cobra.Command, _ []string) error {
	for {
		err := f.serveHere(cmd.Context())
		if !errors.Is(err, agent.ErrMoved) {
			return err
		}
		fmt.Fprintf(f.err, "tada-fleet: %v\n", err)
	}
}

func (f *fleet) serveHere(ctx context.Context) error {
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	return f.agentOf(d).Run(ctx)
}

// agentOf is the agent of this machine. It ships and verifies a record of which parts are packed.
func (f *fleet) agentOf(d desk) *agent.Agent {
	d.l.Unpacking(audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder})
	return &agent.Agent{Launcher: d.l, Folder: d.folder, Etcd: d.Etcd, Now: time.Now, Out: f.err}
}
