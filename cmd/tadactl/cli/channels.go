package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
)

func (c *ctl) channels() *cobra.Command {
	return verb(&cobra.Command{
		Use:   "channels",
		Short: "Show who may answer which question, and from where",
		Long: "Show who may answer which question, and from where, by the table that tada-run uses.\n\n" +
			"  key         one key on the page      type     the characters that the page shows\n" +
			"  code        the code that the terminal of inbox --web shows\n" +
			"  signature   by a trusted key         grant    a remembered approval covers it\n" +
			"  yes, no     allowed, refused         -        does not apply\n\n" +
			"R3 also needs a one-time code or a second person, if one-time codes are set up.\n\n" +
			"tadactl is a command at a terminal, tty the prompt of tada-run itself, attach the screen\n" +
			"of a session. A caller counts as an agent if its environment or an ancestor's has an\n" +
			"agent's variable, if an ancestor is an agent's program, or if such a program holds the\n" +
			"other end of its terminal. It counts as a program if it has no terminal to read keys\n" +
			"from, or if a program that tada-run does not know as a terminal holds the other end. Its\n" +
			"column then applies, whatever command it uses.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
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
		},
	})
}
