package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
)

// quiet is the log of the etcd client: what it would say is in the errors that it returns.
func quiet() *zap.Logger { return zap.NewNop() }

func (f *fleet) init() *cobra.Command {
	var founding registrar.Founding
	cmd := exactly(1, &cobra.Command{
		Use:   "init DIR",
		Short: "Found a fleet: make the keys of its registrar and of etcd in DIR",
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := f.place.Open()
			if err != nil {
				return err
			}
			if founding.Admin, err = l.OwnKey(f.passphrase(cmd.Context())); err != nil {
				return err
			}
			founding.Now = time.Now()
			if err := registrar.Create(args[0], founding); err != nil {
				return err
			}
			dir, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			return f.say(map[string]any{"fleet": founding.Fleet, "dir": dir,
				"admin": founding.Admin.Name}, founded, founding.Fleet, dir, founding.Admin.Name,
				dir, dir, dir, dir, founding.Hosts[0], founding.Hosts[0], dir,
				founding.Hosts[0])
		},
	})
	cmd.Flags().StringVar(&founding.Fleet, "name", "", "the name of the fleet")
	cmd.Flags().StringSliceVar(&founding.Hosts, "host", nil,
		"a host or address under which etcd and the registrar are reached (may be repeated)")
	return cmd
}

const founded = `Fleet %q: its keys are in %q, and %s is its administrator.
Keep a copy of that folder offline. Then start etcd with its certificates:

  etcd --cert-file %[4]s/server.pem --key-file %[5]s/server.key \
       --client-cert-auth --trusted-ca-file %[6]s/ca.pem \
       --listen-client-urls https://0.0.0.0:2379 --advertise-client-urls https://%[8]s:2379

and the registrar:

  tadactl fleet serve %[7]s --etcd https://%[8]s:2379
`

// registrarPort is where the registrar listens unless it is told otherwise.
const registrarPort = "7443"

func (f *fleet) serve() *cobra.Command {
	var etcd []string
	var listen string
	cmd := exactly(1, &cobra.Command{
		Use:   "serve DIR",
		Short: "Let machines join: run the registrar beside etcd",
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, c, err := connect(args[0], etcd)
			if err != nil {
				return err
			}
			defer c.Close()
			r := registrar.New(folder, c, etcd, time.Now, f.err)
			ctx, cancel := soon(cmd)
			err = r.Prepare(ctx)
			cancel()
			if err != nil {
				return err
			}
			l, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", listen)
			if err != nil {
				return err
			}
			if err := f.say(map[string]any{"address": l.Addr().String()},
				"the registrar listens on %s\n", l.Addr()); err != nil {
				return err
			}
			return r.Serve(cmd.Context(), l)
		},
	})
	cmd.Flags().StringSliceVar(&etcd, "etcd", nil, "a URL of etcd, as machines reach it")
	cmd.Flags().StringVar(&listen, "listen", ":"+registrarPort, "where to listen")
	return cmd
}

// connect connects to etcd with the registrar's own certificate.
func connect(dir string, etcd []string) (*registrar.Folder, *clientv3.Client, error) {
	if len(etcd) == 0 {
		return nil, nil, usagef("--etcd URL is needed")
	}
	folder, err := registrar.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	access, err := folder.Access()
	if err != nil {
		return nil, nil, err
	}
	c, err := clientv3.New(clientv3.Config{Endpoints: etcd, TLS: access, DialTimeout: dialWait,
		Logger: quiet()})
	return folder, c, err
}

func (f *fleet) invite() *cobra.Command {
	var dir, site, labels string
	var etcd []string
	var life time.Duration
	var i registrar.Invitation
	cmd := exactly(0, &cobra.Command{
		Use:   "invite",
		Short: "Make a link by which one machine can join",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if i.Labels, err = document.ParseLabels(labels); err != nil {
				return usagef("--labels: %w", err)
			}
			c, link, err := f.inviter(dir, etcd, site)
			if err != nil {
				return err
			}
			defer c.Close()
			ctx, cancel := soon(cmd)
			defer cancel()
			link, err = registrar.Invite(ctx, c, i, link, life)
			if err != nil {
				return err
			}
			return f.say(map[string]any{"url": link.String()},
				"Type this on the machine, within %v; it is good once:\n\n"+
					"  tadactl fleet join '%s'\n", life, link)
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&labels, "labels", "", "labels of the machine: NAME=VALUE,...")
	flags.StringVar(&i.Owner, "owner", "", "whose machine it is")
	flags.BoolVar(&i.People, "people", false, "people answer questions of other machines there")
	flags.DurationVar(&life, "for", time.Hour, "how long the link is good")
	flags.StringVar(&dir, "dir", "", "the folder of the registrar, where there is no member yet")
	flags.StringSliceVar(&etcd, "etcd", nil, "with --dir: a URL of etcd")
	flags.StringVar(&site, "url", "", "with --dir: the URL of the registrar")
	return cmd
}

// inviter connects as the registrar, for the first machine, or as this member.
func (f *fleet) inviter(dir string, etcd []string, site string) (*clientv3.Client, registrar.Link,
	error) {
	if dir != "" {
		if site == "" {
			return nil, registrar.Link{}, usagef("--dir needs --url, the URL of the registrar")
		}
		folder, c, err := connect(dir, etcd)
		if err != nil {
			return nil, registrar.Link{}, err
		}
		return c, registrar.Link{URL: strings.TrimSuffix(site, "/"), Pin: folder.Pin()}, nil
	}
	d, err := f.open()
	if err != nil {
		return nil, registrar.Link{}, err
	}
	pin, err := d.folder.Pin()
	return d.Etcd, registrar.Link{URL: d.own.Registrar, Pin: pin}, err
}

// passphrase asks for the passphrase of the person's key, if it has one.
func (f *fleet) passphrase(ctx context.Context) func() (string, error) {
	return func() (string, error) {
		tty, err := terminal()
		if err != nil {
			return "", err
		}
		defer tty.Close()
		return readSecret(ctx, tty)
	}
}

// key opens the person's key.
func (f *fleet) key(ctx context.Context, d desk) (approval.Key, error) {
	key, err := d.l.OwnKey(f.passphrase(ctx))
	if err != nil {
		return key, err
	}
	if p, ok := d.Known.Person(key.Name); !ok || !p.Key.Equal(key.Public()) {
		return key, fmt.Errorf("%q is not a person of fleet %q; an administrator can add it: "+
			"tadactl fleet person add '%s'", key.Name, d.own.Fleet, key.TrustLine())
	}
	return key, nil
}

var errTerminal = errors.New("no terminal; this needs a person at one")
