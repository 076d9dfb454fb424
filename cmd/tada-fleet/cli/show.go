package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
)

// show prints all that is known of one machine, which is given by its id or its name.
func (f *fleet) show(cmd *cobra.Command, args []string) error {
	return f.looking(cmd, func(ctx context.Context, d desk) error {
		all, err := d.Members(ctx)
		if err != nil {
			return err
		}
		found := people.Named(all, args[0])
		if len(found) == 0 {
			return people.NoMachine(args[0])
		}
		for _, m := range found {
			if err := f.showOne(m, refusedBy(all, m.ID)); err != nil {
				return err
			}
		}
		return warn(ctx, cmd, d, all)
	})
}

func (f *fleet) showOne(m people.Member, refused map[string]string) error {
	var text strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&text, "%-9s "+format+"\n", append([]any{what}, args...)...)
	}
	line("machine", "%s", m.ID)
	line("name", "%s", m.Name)
	line("labels", "%s", m.Labels)
	line("owner", "%s", m.Owner)
	line("joined", "%s", m.Joined.Local().Format(minutes))
	line("state", "%s", standing(m))
	if m.Agent != "" {
		line("agent", "%q", m.Agent)
	}
	if m.Head != "" {
		line("record", "%q", m.Head)
	}
	bundles := []map[string]any{}
	for _, s := range m.Policies {
		line("bundle", "%s", says(s))
		bundles = append(bundles, map[string]any{"name": s.Name, "version": s.Version,
			"stage": s.Stage, "error": s.Error})
	}
	text.WriteString(troubles(m, refused))
	return f.say(map[string]any{"id": m.ID, "name": m.Name, "labels": m.Labels, "owner": m.Owner,
		"joined": m.Joined, "state": stateOf(m), "seen": m.Seen, "agent": m.Agent, "head": m.Head,
		"bundles": bundles, "not_shipped": m.Unshipped, "refused": refused}, "%s", text.String())
}

// says is what a machine has of a bundle.
func says(s people.Standing) string {
	switch {
	case s.Name == "" && s.Error != "":
		return fmt.Sprintf("its bundles cannot be read: %q", s.Error)
	case s.Error != "":
		return fmt.Sprintf("%s@%d cannot be used: %q", s.Name, s.Version, s.Error)
	case s.Stage == document.Shadow:
		return fmt.Sprintf("%s@%d is on trial", s.Name, s.Version)
	}
	return fmt.Sprintf("%s@%d is in force", s.Name, s.Version)
}
