package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
)

func (c *ctl) channels() *cobra.Command {
	return verb("channels", cobra.NoArgs, func(*cobra.Command, []string) error {
		channels := approval.Channels()
		if c.json {
			rows := []map[string]any{}
			for _, row := range approval.ChannelRows() {
				takes := map[string]string{}
				for i, channel := range channels {
					takes[string(channel)] = row.Takes[i]
				}
				rows = append(rows, map[string]any{"action": row.Action, "channels": takes})
			}
			return c.printJSON(rows)
		}
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		for _, channel := range channels {
			fmt.Fprintf(w, "\t%s", channel)
		}
		fmt.Fprintln(w)
		for _, row := range approval.ChannelRows() {
			fmt.Fprint(w, row.Action)
			for _, takes := range row.Takes {
				fmt.Fprintf(w, "\t%s", takes)
			}
			fmt.Fprintln(w)
		}
		return w.Flush()
	})
}
