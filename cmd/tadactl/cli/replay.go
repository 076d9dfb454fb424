package cli

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
)

func (c *ctl) sessions() *cobra.Command {
	return verb(&cobra.Command{
		Use:   "sessions",
		Short: "List what ran, oldest first",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
			list, err := l.Runs()
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(list)
			}
			for _, r := range list {
				status := r.State
				if r.State == "ended" {
					status = fmt.Sprintf("exit %d", r.Status)
				}
				fmt.Fprintf(c.out, "%s  %s  %-8s  %s\n", r.ID, r.Began.Local().Format(time.DateTime), status, inert(r.Command))
			}
			return nil
		},
	})
}

func (c *ctl) replay() *cobra.Command {
	var o audit.PlayOptions
	cmd := &cobra.Command{
		Use:   "replay [ID]",
		Short: "Play a session with its timing; without an ID, the newest",
		Long: "Play a session with its timing; without an ID, the newest. What the command\n" +
			"printed is shown, but escape sequences that would ask or change something on\n" +
			"the terminal of the viewer are left out.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
			id, err := l.Session(append(args, "")[0])
			if err != nil {
				return err
			}
			f, err := l.Transcript(id)
			if err != nil {
				return err
			}
			defer f.Close()
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return audit.Play(ctx, f, c.out, o)
		},
	}
	cmd.Flags().Float64Var(&o.Speed, "speed", 1, "times as fast")
	cmd.Flags().DurationVar(&o.IdleLimit, "idle", 2*time.Second, "the longest pause")
	cmd.Flags().BoolVar(&o.NoWait, "no-wait", false, "print everything at once")
	return verb(cmd)
}

// exports are the formats by name.
var exports = map[string]func(io.Writer, io.Reader) error{
	"cast": audit.ExportCast, "txt": audit.ExportText, "json": audit.ExportJSON,
}

func (c *ctl) export() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export [ID] --format cast|txt|json",
		Short: "Write a session for other programs: asciicast, plain text or JSON",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			write, known := exports[format]
			if !known {
				return &usageError{fmt.Errorf("--format is cast, txt or json, not %q", format)}
			}
			l, err := c.open()
			if err != nil {
				return err
			}
			id, err := l.Session(append(args, "")[0])
			if err != nil {
				return err
			}
			f, err := l.Transcript(id)
			if err != nil {
				return err
			}
			defer f.Close()
			return write(c.out, f)
		},
	}
	cmd.Flags().StringVar(&format, "format", "cast", "cast, txt or json")
	return verb(cmd)
}
