package cli

import (
	"strings"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
)

// invite makes a link by which a machine can join.
func (f *fleet) invite(cmd *cobra.Command, _ []string) error {
	o := f.o.Invite
	labels, err := document.ParseLabels(o.Labels)
	if err != nil {
		return usagef("--labels: %w", err)
	}
	c, link, err := f.inviter()
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := soon(cmd)
	defer cancel()
	link, err = registrar.Invite(ctx, c, registrar.Invitation{Labels: labels, Owner: o.Owner,
		People: o.People}, link, o.Life)
	if err != nil {
		return people.Reason(err)
	}
	return f.say(map[string]any{"url": link.String()},
		"Type this on the machine, within %v; it is good once:\n\n"+
			"  tadactl fleet join '%s'\n", o.Life, link)
}

// inviter connects as the registrar, for the first machine, or as this member.
func (f *fleet) inviter() (*clientv3.Client, registrar.Link, error) {
	o := f.o.Invite
	if o.Dir != "" {
		if o.URL == "" {
			return nil, registrar.Link{}, usagef("--dir needs --url, the URL of the registrar")
		}
		folder, c, err := connect(o.Dir, o.Etcd)
		if err != nil {
			return nil, registrar.Link{}, err
		}
		pin, err := folder.Pin()
		return c, registrar.Link{URL: strings.TrimSuffix(o.URL, "/"), Pin: pin}, err
	}
	d, err := f.open()
	if err != nil {
		return nil, registrar.Link{}, err
	}
	pin, err := d.folder.Pin()
	return d.Etcd, registrar.Link{URL: d.own.Registrar, Pin: pin}, err
}
