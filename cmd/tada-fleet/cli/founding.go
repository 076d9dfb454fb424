package cli

import (
	"net"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/cmd/tada-fleet/verbs"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
)

// init makes the folder of a registrar.
func (f *fleet) init(cmd *cobra.Command, args []string) error {
	if f.o.Init.Name == "" || len(f.o.Init.Hosts) == 0 {
		return usagef("--name and --host are needed")
	}
	l, err := f.place.Open()
	if err != nil {
		return err
	}
	key, err := l.OwnKey(f.passphrase(cmd.Context()))
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	if err := registrar.Create(dir, registrar.Founding{Fleet: f.o.Init.Name,
		Hosts: f.o.Init.Hosts, Admin: key, Now: time.Now()}); err != nil {
		return err
	}
	return f.say(map[string]any{"fleet": f.o.Init.Name, "dir": dir, "admin": key.Name},
		founded, f.o.Init.Name, dir, key.Name, f.o.Init.Hosts[0], verbs.Port)
}

const founded = `Fleet %[1]q: its keys are in %[2]q, and %[3]s is its administrator.
Keep a copy of that folder offline. Then start etcd with its certificates:

  etcd --cert-file %[2]s/server.pem --key-file %[2]s/server.key \
       --client-cert-auth --trusted-ca-file %[2]s/ca.pem \
       --listen-client-urls https://0.0.0.0:2379 --advertise-client-urls https://%[4]s:2379 \
       --auto-compaction-retention 1h

the registrar:

  tadactl fleet serve %[2]s --etcd https://%[4]s:2379

and invite the first machine, your own:

  tadactl fleet invite --dir %[2]s --etcd https://%[4]s:2379 --url https://%[4]s:%[5]s --people
`

// serve runs the registrar.
func (f *fleet) serve(cmd *cobra.Command, args []string) error {
	folder, c, err := connect(args[0], f.o.Serve.Etcd)
	if err != nil {
		return err
	}
	defer c.Close()
	r := registrar.New(folder, c, f.o.Serve.Etcd, time.Now, f.err)
	ctx, cancel := soon(cmd)
	err = r.Prepare(ctx)
	cancel()
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", f.o.Serve.Listen)
	if err != nil {
		return err
	}
	if err := f.say(map[string]any{"address": l.Addr().String()},
		"the registrar listens on %s\n", l.Addr()); err != nil {
		return err
	}
	return r.Serve(cmd.Context(), l)
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
