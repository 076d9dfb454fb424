package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/agent"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/permit"
)

// join makes this machine a member.
func (f *fleet) join(cmd *cobra.Command, args []string) error {
	if err := caller.Outside(approval.Enrol); err != nil {
		return err
	}
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
	name := f.o.Join.Name
	if name == "" {
		if name, err = os.Hostname(); err != nil {
			return err
		}
	}
	secret, err := agent.Secret(cmd.Context(), l)
	if err != nil {
		return err
	}
	m, err := member.In(l.Home()).Join(cmd.Context(), link,
		member.Newcomer{ID: id, Name: name, Secret: secret})
	if err != nil {
		return err
	}
	start, err := f.installService(l.Home().Dir)
	if err != nil {
		return err
	}
	return f.say(m, "%s (%s) is now in fleet %q, with labels %q.\n"+
		"Keep its agent running: %s\n", m.Name, m.ID, m.Fleet, m.Labels, start)
}

// leave ends the membership.
func (f *fleet) leave(cmd *cobra.Command, _ []string) error {
	l, err := f.place.Open()
	if err != nil {
		return err
	}
	// whoever could leave could end a freeze
	if _, err := l.May(approval.Enrol, approval.ChannelTadactl); err != nil {
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
	// from here on the approvals are a file again, made from the record
	if l, err = f.place.Open(); err != nil {
		return err
	}
	if _, err := l.RebuildApprovals(cmd.Context()); err != nil &&
		!errors.Is(err, permit.ErrIntact) {
		return err
	}
	if err := f.removeService(l.Home().Dir); err != nil {
		return err
	}
	return f.say(m, "left fleet %q; an administrator ends its access with: "+
		"tadactl fleet revoke %s\n", m.Fleet, m.ID)
}

// status prints the membership.
func (f *fleet) status(cmd *cobra.Command, _ []string) error {
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
	newest, away := d.Fleet(ctx)
	if away == nil {
		d.Known = newest
	}
	var by []witnessing
	if away == nil {
		by, away = d.witnesses(ctx)
	}
	if f.json {
		return f.say(map[string]any{"membership": d.own, "reached": away == nil,
			"serial": d.Known.Serial, "frozen": frozen, "witnesses": by}, "")
	}
	lines := []string{fmt.Sprintf("machine  %s (%s)", d.own.Name, d.own.ID),
		fmt.Sprintf("fleet    %s, document %d", d.own.Fleet, d.Known.Serial),
		"labels   " + d.own.Labels, "etcd     " + strings.Join(d.own.Endpoints, " ")}
	if frozen != "" {
		lines = append(lines, "frozen   "+frozen)
	}
	for _, w := range by {
		lines = append(lines, "witness  "+w.String())
	}
	fmt.Fprintln(f.out, strings.Join(lines, "\n"))
	return away
}
