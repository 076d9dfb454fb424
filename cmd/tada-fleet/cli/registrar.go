package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
)

// registrarRenew issues the certificates of the servers again, and makes the registrar's next key.
func (f *fleet) registrarRenew(_ *cobra.Command, args []string) error {
	folder, err := registrar.Open(args[0])
	if err != nil {
		return err
	}
	if err := folder.Renew(f.o.Site.Hosts, time.Now()); err != nil {
		return err
	}
	key := ""
	if f.o.Site.Key {
		next, err := folder.NextKey()
		if err != nil {
			return err
		}
		key = approval.TrustedKey{Public: next.Public(), Name: next.Name}.Line()
	}
	text := "the certificates are new; start etcd and the registrar again\n"
	if key != "" {
		text += fmt.Sprintf("the next key of the registrar counts when administrators have signed "+
			"it; on their machine, type:\n\n  tadactl fleet registrar replace '%s'\n", key)
	}
	return f.say(map[string]any{"done": "renewed", "key": key}, "%s", text)
}

// registrarReplace makes another key that of the registrar.
func (f *fleet) registrarReplace(cmd *cobra.Command, args []string) error {
	list, err := approval.ParseTrust([]byte(args[0]))
	if err != nil || len(list) != 1 {
		return usagef("KEY must be the line that tadactl fleet registrar renew --key prints")
	}
	return f.change(cmd, func(next *document.Fleet) error {
		key := list[0]
		if next.Registrar.Key.Equal(key.Public) {
			return fmt.Errorf("%s is the key of the registrar already", approval.KeyID(key.Public))
		}
		next.Registrar = document.Person{Name: key.Name, Key: key.Public}
		return nil
	}, "the registrar has another key; it goes on with it by itself")
}

// registrarMove tells machines where the registrar and etcd are, after it has reached them there.
func (f *fleet) registrarMove(cmd *cobra.Command, args []string) error {
	to := document.Site{Registrar: strings.TrimSuffix(args[0], "/"), Etcd: f.o.Site.Etcd}
	if err := f.reaches(cmd.Context(), to); err != nil {
		return err
	}
	return f.change(cmd, func(next *document.Fleet) error {
		next.Site.Registrar = to.Registrar
		if len(to.Etcd) > 0 {
			next.Site.Etcd = to.Etcd
		}
		return nil
	}, "machines find the registrar at "+to.Registrar)
}

// reaches tries each address: machines that are told a wrong one would lose the fleet.
func (f *fleet) reaches(ctx context.Context, to document.Site) error {
	ctx, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	if _, err := d.folder.AskAt(ctx, to.Registrar, d.Known.Serial); err != nil {
		return fmt.Errorf("%q is not told to the machines: %w", to.Registrar, err)
	}
	was, err := d.Etcd.Get(ctx, keyspace.Fleet, clientv3.WithKeysOnly())
	if err != nil {
		return err
	}
	for _, e := range to.Etcd {
		if err := d.sameCluster(ctx, e, was.Header.ClusterId); err != nil {
			return fmt.Errorf("etcd server %q is not told to the machines: %w", e, err)
		}
	}
	return nil
}

// sameCluster requires a server to be of the cluster with an id.
func (d desk) sameCluster(ctx context.Context, endpoint string, id uint64) error {
	if !document.IsEndpoint(endpoint) {
		return fmt.Errorf("it must be https://HOST:PORT")
	}
	access, err := d.folder.Access()
	if err != nil {
		return err
	}
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, TLS: access,
		DialTimeout: dialWait, Logger: quiet()})
	if err != nil {
		return err
	}
	defer c.Close()
	got, err := c.Get(ctx, keyspace.Fleet, clientv3.WithKeysOnly())
	if err == nil && got.Header.ClusterId != id {
		err = fmt.Errorf("it belongs to another cluster")
	}
	return err
}
