package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/etcd"
	"github.com/tada-run/tada-run/approval/relay/served"
	"github.com/tada-run/tada-run/integration/fleet/agent"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
	"github.com/tada-run/tada-run/launcher"
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
			secret, err := etcd.SecretOf(cmd.Context(), local(l))
			if err != nil {
				return err
			}
			m, err := member.In(l.Home()).Join(cmd.Context(), link,
				member.Newcomer{ID: id, Name: name, Secret: secret})
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
			return f.serveMachine(cmd.Context(), d)
		},
	})
}

// local is the database of approvals that the machine had before it joined.
func local(l *launcher.Launcher) *bolt.DB {
	return bolt.File(l.Home().Approvals(), l.StoreOptions())
}

// serveMachine serves the approvals of the machine, which are in etcd, to its other programs, and
// does what the fleet wants of it.
func (f *fleet) serveMachine(ctx context.Context, d desk) error {
	socket, err := served.Listen(d.l.Home().FleetSocket())
	if err != nil {
		return err
	}
	defer socket.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { cancel(f.serveApprovals(ctx, d, socket)) }()
	a := agent.Agent{Launcher: d.l, Folder: d.folder, Etcd: d.Etcd, Now: time.Now, Out: f.err}
	if err := a.Run(ctx); err != nil {
		return err
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// storePause is the time between two attempts to open the approvals while etcd is away.
const storePause = 2 * time.Second

// serveApprovals serves the approvals as soon as etcd can be reached. Those that the machine had
// before it joined move there first.
func (f *fleet) serveApprovals(ctx context.Context, d desk, socket net.Listener) error {
	for {
		store, err := f.store(ctx, d)
		switch {
		case err == nil:
			defer store.Close()
			return served.Serve(ctx, socket, store)
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, approval.ErrAway):
			return err
		}
		fmt.Fprintf(f.err, "tada-fleet: %v; trying again\n", err)
		select {
		case <-ctx.Done():
		case <-time.After(storePause):
		}
	}
}

// store opens the approvals of the machine in etcd.
func (f *fleet) store(ctx context.Context, d desk) (*etcd.DB, error) {
	secret, err := d.folder.Secret()
	if err != nil {
		return nil, err
	}
	access, err := d.folder.Access()
	if err != nil {
		return nil, err
	}
	cluster, err := d.folder.Cluster()
	if err != nil {
		return nil, err
	}
	store, err := etcd.New(etcd.Options{Endpoints: d.own.Endpoints, TLS: access,
		Prefix: keyspace.Below(keyspace.States, d.own.ID), Secret: secret, Rand: rand.Reader,
		Cluster: cluster})
	if err != nil {
		return nil, err
	}
	if cluster, err = store.Cluster(ctx); err == nil {
		err = d.folder.Remember(cluster)
	}
	if err == nil {
		err = store.Import(ctx, local(d.l))
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
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
