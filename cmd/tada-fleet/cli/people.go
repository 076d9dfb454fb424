package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/launcher/exit"
)

// change changes the fleet document and prints what was done.
func (f *fleet) change(cmd *cobra.Command, how func(*document.Fleet) error, done string) error {
	return f.signing(cmd, func(ctx context.Context, d desk, key approval.Key) error {
		unfinished, err := d.Change(ctx, key, how)
		return f.changed(unfinished, err, done)
	})
}

// changed prints what was done, or what a second administrator must sign.
func (f *fleet) changed(unfinished []byte, err error, done string) error {
	if err != nil {
		return err
	}
	if unfinished != nil {
		f.code = exit.Pending
		fmt.Fprintln(f.err, "tadactl fleet: a second administrator must sign this: save it, "+
			"and on that person's machine type: tadactl fleet person sign FILE")
		_, err := f.out.Write(unfinished)
		return err
	}
	return f.say(map[string]any{"done": done}, "%s\n", done)
}

// revoke ends the membership of a machine, which is given by its id or its name.
func (f *fleet) revoke(cmd *cobra.Command, args []string) error {
	return f.signing(cmd, func(ctx context.Context, d desk, key approval.Key) error {
		m, err := d.Machine(ctx, args[0])
		if err != nil {
			return err
		}
		unfinished, err := d.Change(ctx, key, func(next *document.Fleet) error {
			if next.IsRevoked(m.ID) {
				return fmt.Errorf("machine %q is revoked already", m.ID)
			}
			next.Revoked = append(next.Revoked, m.ID)
			return nil
		})
		return f.changed(unfinished, err, fmt.Sprintf("revoked %s (%s)", m.ID, m.Name))
	})
}

// personAdd adds a person.
func (f *fleet) personAdd(cmd *cobra.Command, args []string) error {
	list, err := approval.ParseTrust([]byte(args[0]))
	if err != nil || len(list) != 1 {
		return usagef("KEY must be one line of tadactl key show: ed25519 BASE64 NAME")
	}
	p := document.Person{Name: list[0].Name, Key: list[0].Public, MaxRisk: list[0].MaxRisk,
		Admin: f.o.Person.Admin}
	if text := f.o.Person.Answers; text != "" {
		if p.Answers, err = document.ParseSelector(text); err != nil {
			return usagef("--answers: %w", err)
		}
	}
	return f.change(cmd, func(next *document.Fleet) error {
		next.People = append(next.People, p)
		return nil
	}, "added "+p.Name)
}

// personRemove removes a person.
func (f *fleet) personRemove(cmd *cobra.Command, args []string) error {
	return f.change(cmd, func(next *document.Fleet) error {
		before := len(next.People)
		next.People = slices.DeleteFunc(next.People,
			func(p document.Person) bool { return p.Name == args[0] })
		if len(next.People) == before {
			return fmt.Errorf("no person is called %q; try: tadactl fleet person list",
				args[0])
		}
		return nil
	}, "removed "+args[0])
}

// personList prints the people of the fleet.
func (f *fleet) personList(cmd *cobra.Command, _ []string) error {
	return f.looking(cmd, func(ctx context.Context, d desk) error {
		now, err := d.Fleet(ctx)
		if err != nil {
			return err
		}
		for _, p := range now.People {
			role := ""
			if p.Admin {
				role = "administrator"
			}
			if err := f.say(map[string]any{"name": p.Name, "key": approval.KeyID(p.Key),
				"admin": p.Admin, "answers": p.Answers.String(), "max_risk": p.MaxRisk},
				"%-16s  %-13s  answers %-24q  up to R%d  %s\n", p.Name, role, p.Answers,
				p.MaxRisk, approval.KeyID(p.Key)); err != nil {
				return err
			}
		}
		return nil
	})
}
