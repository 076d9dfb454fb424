package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/integration/fleet/people"
)

// list prints the machines of the fleet.
func (f *fleet) list(cmd *cobra.Command, _ []string) error {
	return f.looking(cmd, func(ctx context.Context, d desk) error {
		all, err := d.Members(ctx)
		if err != nil {
			return err
		}
		for _, m := range all {
			refused := refusedBy(all, m.ID)
			if err := f.say(map[string]any{"id": m.ID, "name": m.Name, "state": stateOf(m),
				"seen": m.Seen, "labels": m.Labels, "owner": m.Owner, "head": m.Head,
				"agent": m.Agent, "not_shipped": m.Unshipped, "refused": refused,
				"replays": append([]string{}, m.Replays...)},
				"%s  %-16s  %-30s  %-20s  %s\n%s", m.ID, m.Name, standing(m), m.Labels, m.Owner,
				troubles(m, refused)); err != nil {
				return err
			}
		}
		return warn(ctx, cmd, d, all)
	})
}

// warn names the machines that have published as questions what is none of theirs.
func warn(ctx context.Context, cmd *cobra.Command, d desk, all []people.Member) error {
	lies, err := d.Lies(ctx, all)
	for _, l := range lies {
		fmt.Fprintf(cmd.ErrOrStderr(), "tada-fleet: machine %q (%s) has published %s; look at it, "+
			"or: tadactl fleet revoke %s\n", l.Machine.Name, l.Machine.ID, l.What, l.Machine.ID)
	}
	return err
}

// refusedBy are the machines that do not cosign the log of a machine, and why, by their names.
func refusedBy(all []people.Member, id string) map[string]string {
	found := map[string]string{}
	for _, m := range all {
		for _, r := range m.Refuses {
			if r.Machine == id && !m.Revoked {
				found[m.Name] = r.Why
			}
		}
	}
	return found
}

// troubles are lines about the record of a machine.
func troubles(m people.Member, refused map[string]string) (text string) {
	if m.Unshipped != "" {
		text += fmt.Sprintf("    its record is not shipped: %q\n", m.Unshipped)
	}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		text += fmt.Sprintf("    %s does not cosign its record: %q\n", name, refused[name])
	}
	for _, what := range m.Replays {
		text += fmt.Sprintf("    somebody gave it %s: look who can write answers in etcd\n", what)
	}
	return text
}

// stateOf is the state of a machine, in a word.
func stateOf(m people.Member) string {
	switch {
	case m.Revoked:
		return "revoked"
	case m.Connected:
		return "connected"
	}
	return "silent"
}

// quietFor is how long a connected machine says nothing at most: it does once a minute. With some
// versions of etcd, another machine can make one seem connected that is not.
const quietFor = 10 * time.Minute

// standing is the state of a machine for people.
func standing(m people.Member) string {
	switch {
	case m.Connected && !m.Seen.IsZero() && time.Since(m.Seen) > quietFor:
		return "connected, quiet since " + m.Seen.Local().Format(minutes)
	case stateOf(m) != "silent":
		return stateOf(m)
	case m.Seen.IsZero():
		return "never seen"
	}
	return "silent since " + m.Seen.Local().Format(minutes)
}

// minutes is how times are written for people.
const minutes = "2006-01-02 15:04"
