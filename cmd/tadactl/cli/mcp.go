package cli

import (
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/integration/mcp"
	"github.com/tada-run/tada-run/integration/quarantine"
)

func (c *ctl) mcp() *cobra.Command {
	return verb(&cobra.Command{
		Use:   "mcp",
		Short: "Serve the Model Context Protocol on standard input and output",
		Long: "Serve the Model Context Protocol on standard input and output, for agents that call\n" +
			"tools: run_command, run_many, check_command, pending_status, accept_tamper and\n" +
			"read_reference. Commands run in the current directory, sandboxed and recorded, as with\n" +
			"tada-run; questions are answered with tadactl. It ends when standard input is closed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, dir, err := c.openHere()
			if err != nil {
				return err
			}
			s := mcp.Server{Launcher: l, Env: os.Environ(), Dir: dir, Sockets: quarantineDir(l),
				Quarantine: os.Getenv(quarantine.Variable)}
			return s.Run(cmd.Context(), &sdk.StdioTransport{MaxLineLength: maxLine})
		},
	})
}
