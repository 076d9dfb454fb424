package cli

import (
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/integration/mcp"
	"github.com/tada-run/tada-run/integration/quarantine"
)

func (c *ctl) mcp() *cobra.Command {
	return verb("mcp", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		l, dir, err := c.openHere()
		if err != nil {
			return err
		}
		s := mcp.Server{Launcher: l, Env: os.Environ(), Dir: dir, Sockets: quarantineDir(l),
			Quarantine: os.Getenv(quarantine.Variable)}
		return s.Run(cmd.Context(), &sdk.StdioTransport{MaxLineLength: maxLine})
	})
}
