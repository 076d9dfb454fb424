package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/integration/fleet/agent"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/prompt"
)

func terminal() (*os.File, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, errTerminal
	}
	if !term.IsTerminal(int(tty.Fd())) {
		tty.Close()
		return nil, errTerminal
	}
	return tty, nil
}

func readSecret(ctx context.Context, tty *os.File) (string, error) {
	return prompt.ReadSecret(ctx, tty, "passphrase: ")
}

func (f *fleet) join() *cobra.Command {
	var name string
	cmd := exactly(1, &cobra.Command{
		Use:   "join URL",
		Short: "Make this machine a member, with a link of tadactl fleet invite",
		RunE: func(cmd *cobra.Command, args []string) error {
			link, err := registrar.ParseLink(args[0])
			if err != nil {
				return &usageError{err}
			}
			l, err := f.place.Open()
			if err != nil {
				return err
			}
			id, err := l.Audience()
			if err != nil {
				return err
			}
			if name == "" {
				if name, err = os.Hostname(); err != nil {
					return err
				}
			}
			m, err := member.In(l.Home()).Join(cmd.Context(), link, id, name)
			if err != nil {
				return err
			}
			return f.say(m, "%s (%s) is now in fleet %q, with labels %q.\n"+
				"Keep this running: tadactl fleet agent\n", m.Name, m.ID, m.Fleet, m.Labels)
		},
	})
	cmd.Flags().StringVar(&name, "name", "", "what people call this machine (default: its host name)")
	return cmd
}

func (f *fleet) leave() *cobra.Command {
	return exactly(0, &cobra.Command{
		Use:   "leave",
		Short: "End the membership of this machine",
		RunE: func(*cobra.Command, []string) error {
			l, err := f.place.Open()
			if err != nil {
				return err
			}
			folder := member.In(l.Home())
			m, err := folder.Load()
			if err != nil {
				return err
			}
			if err := folder.Leave(); err != nil {
				return err
			}
			return f.say(m, "left fleet %q; an administrator ends its access with: "+
				"tadactl fleet revoke %s\n", m.Fleet, m.ID)
		},
	})
}

func (f *fleet) agent() *cobra.Command {
	return exactly(0, &cobra.Command{
		Use:   "agent",
		Short: "Connect this machine to its fleet, until it is stopped",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := f.open()
			if err != nil {
				return err
			}
			defer d.Etcd.Close()
			a := agent.Agent{Launcher: d.l, Folder: d.folder, Etcd: d.Etcd, Now: time.Now,
				Out: f.err}
			return a.Run(cmd.Context())
		},
	})
}

func (f *fleet) status() *cobra.Command {
	return exactly(0, &cobra.Command{
		Use:   "status",
		Short: "Show the membership of this machine",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := f.open()
			if err != nil {
				return err
			}
			defer d.Etcd.Close()
			frozen, err := d.folder.Frozen()
			if err != nil {
				return err
			}
			ctx, cancel := soon(cmd)
			defer cancel()
			_, away := d.Fleet(ctx)
			if f.json {
				return f.say(map[string]any{"membership": d.own, "reached": away == nil,
					"serial": d.Known.Serial, "frozen": frozen}, "")
			}
			lines := []string{fmt.Sprintf("machine  %s (%s)", d.own.Name, d.own.ID),
				fmt.Sprintf("fleet    %s, document %d", d.own.Fleet, d.Known.Serial),
				"labels   " + d.own.Labels, "etcd     " + strings.Join(d.own.Endpoints, " ")}
			if frozen != "" {
				lines = append(lines, frozen)
			}
			fmt.Fprintln(f.out, strings.Join(lines, "\n"))
			return away
		},
	})
}

func (f *fleet) list() *cobra.Command {
	return exactly(0, &cobra.Command{
		Use:   "list",
		Short: "List the machines of the fleet",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := f.open()
			if err != nil {
				return err
			}
			defer d.Etcd.Close()
			ctx, cancel := soon(cmd)
			defer cancel()
			all, err := d.Members(ctx)
			if err != nil {
				return err
			}
			if f.json {
				return f.say(all, "")
			}
			for _, m := range all {
				state := "connected"
				switch {
				case m.Revoked:
					state = "revoked"
				case !m.Connected && m.Seen.IsZero():
					state = "never seen"
				case !m.Connected:
					state = "silent since " + m.Seen.Local().Format("2006-01-02 15:04")
				}
				fmt.Fprintf(f.out, "%s  %-16s  %-24s  %-20s  %s\n", m.ID, m.Name, state,
					m.Labels, m.Owner)
			}
			return nil
		},
	})
}

// exitPending is the status of what waits for others.
const exitPending = exit.Pending
