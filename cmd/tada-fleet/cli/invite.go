package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/history"
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
	ctx, cancel := soon(cmd)
	defer cancel()
	c, link, err := f.inviter(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
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
func (f *fleet) inviter(ctx context.Context) (*clientv3.Client, registrar.Link, error) {
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
	var pin registrar.Pins
	if err = d.learn(ctx); err == nil {
		pin, err = d.folder.Pin()
	}
	if err != nil {
		return nil, registrar.Link{}, errors.Join(err, d.Etcd.Close())
	}
	return d.Etcd, registrar.Link{URL: d.own.Registrar, Pin: pin}, nil
}

// learn takes the newest fleet document, which this machine may not have if its agent does not run:
// a link names the administrators that there are now, and where the registrar is.
func (d *desk) learn(ctx context.Context) error {
	way, err := history.Newest(ctx, d.Etcd, d.Known)
	if err != nil {
		return people.Reason(err)
	}
	for _, text := range way.Texts {
		if _, err := d.folder.Learn(text); err != nil {
			return err
		}
	}
	if way.Refused != nil {
		return way.Refused
	}
	d.own, err = d.folder.Load()
	return err
}
