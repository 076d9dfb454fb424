package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// change changes the fleet document and prints what was done.
func (f *fleet) change(cmd *cobra.Command, how func(*document.Fleet) error, done string) error {
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	key, err := f.key(cmd.Context(), d)
	if err != nil {
		return err
	}
	ctx, cancel := soon(cmd)
	defer cancel()
	unfinished, err := d.Change(ctx, key, how)
	if err != nil {
		return err
	}
	if unfinished != nil {
		fmt.Fprintln(f.err, "tadactl fleet: a second administrator must sign this: save it, and "+
			"on that person's machine type: tadactl fleet person sign FILE")
		_, err := f.out.Write(unfinished)
		return err
	}
	return f.say(map[string]any{"done": done}, "%s\n", done)
}

func (f *fleet) revoke() *cobra.Command {
	return exactly(1, &cobra.Command{
		Use:   "revoke ID",
		Short: "End the membership of a machine",
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.change(cmd, func(next *document.Fleet) error {
				if next.IsRevoked(args[0]) {
					return fmt.Errorf("machine %q is revoked already", args[0])
				}
				next.Revoked = append(next.Revoked, args[0])
				return nil
			}, "revoked "+args[0])
		},
	})
}

func (f *fleet) person() *cobra.Command {
	cmd := &cobra.Command{Use: "person", Short: "Add and remove people, and list them"}
	cmd.AddCommand(f.personAdd(), f.personRemove(), f.personList(), f.personSign())
	return cmd
}

func (f *fleet) personAdd() *cobra.Command {
	var answers string
	var p document.Person
	cmd := exactly(1, &cobra.Command{
		Use:   "add KEY",
		Short: "Add a person, by the line that tadactl key show prints",
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := approval.ParseTrust([]byte(args[0]))
			if err != nil || len(list) != 1 {
				return usagef("KEY must be one line: ed25519 BASE64 NAME (%w)", err)
			}
			p.Name, p.Key, p.MaxRisk = list[0].Name, list[0].Public, list[0].MaxRisk
			if answers != "" {
				if p.Answers, err = document.ParseSelector(answers); err != nil {
					return usagef("--answers: %w", err)
				}
			}
			return f.change(cmd, func(next *document.Fleet) error {
				next.People = append(next.People, p)
				return nil
			}, "added "+p.Name)
		},
	})
	cmd.Flags().StringVar(&answers, "answers", "",
		"the machines whose questions the person may answer: NAME=VALUE,... or \"*\" for all")
	cmd.Flags().BoolVar(&p.Admin, "admin", false, "may change the fleet, freeze and unfreeze")
	return cmd
}

func (f *fleet) personRemove() *cobra.Command {
	return exactly(1, &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a person: answers by that key count no more",
		RunE: func(cmd *cobra.Command, args []string) error {
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
		},
	})
}

func (f *fleet) personSign() *cobra.Command {
	return exactly(1, &cobra.Command{
		Use:   "sign FILE",
		Short: "Sign a change of the administrators, as the second of them",
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readFile(args[0])
			if err != nil {
				return err
			}
			d, err := f.open()
			if err != nil {
				return err
			}
			defer d.Etcd.Close()
			key, err := f.key(cmd.Context(), d)
			if err != nil {
				return err
			}
			ctx, cancel := soon(cmd)
			defer cancel()
			if err := d.Finish(ctx, key, text); err != nil {
				return err
			}
			return f.say(map[string]any{"done": "changed"}, "changed\n")
		},
	})
}

func readFile(path string) ([]byte, error) {
	in := os.Stdin
	if path != "-" {
		var err error
		if in, err = os.Open(path); err != nil {
			return nil, err
		}
		defer in.Close()
	}
	text, err := io.ReadAll(io.LimitReader(in, document.MaxSize+1))
	if err == nil && len(text) > document.MaxSize {
		err = fmt.Errorf("%q: %w", path, approval.ErrOversized)
	}
	return text, err
}

func (f *fleet) personList() *cobra.Command {
	return exactly(0, &cobra.Command{
		Use:   "list",
		Short: "List the people of the fleet",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := f.open()
			if err != nil {
				return err
			}
			defer d.Etcd.Close()
			ctx, cancel := soon(cmd)
			defer cancel()
			now, err := d.Fleet(ctx)
			if err != nil {
				return err
			}
			if f.json {
				return f.say(now.People, "")
			}
			for _, p := range now.People {
				role := ""
				if p.Admin {
					role = "administrator"
				}
				fmt.Fprintf(f.out, "%-16s  %-13s  answers %-24q  up to R%d  %s\n", p.Name, role,
					p.Answers, p.MaxRisk, approval.KeyID(p.Key))
			}
			return nil
		},
	})
}

func (f *fleet) freeze() *cobra.Command {
	var label, reason string
	cmd := exactly(0, &cobra.Command{
		Use:   "freeze",
		Short: "Stop machines: nothing new starts there, and what runs is ended",
		RunE: func(cmd *cobra.Command, _ []string) error {
			which, err := document.ParseSelector(label)
			if err != nil {
				return usagef("--label: %w", err)
			}
			return f.signing(cmd, func(ctx context.Context, d desk, key approval.Key) error {
				o, err := d.Freeze(ctx, key, which, reason, time.Now())
				if err != nil {
					return err
				}
				return f.say(map[string]any{"id": o.ID}, "freeze %s: machines %q. It ends when "+
					"two administrators type: tadactl fleet unfreeze %s\n", o.ID, which, o.ID)
			})
		},
	})
	cmd.Flags().StringVar(&label, "label", "*", "which machines: NAME=VALUE,... or \"*\" for all")
	cmd.Flags().StringVar(&reason, "reason", "", "shown to whoever is stopped")
	return cmd
}

// signing is the body of a verb that signs something with the person's key.
func (f *fleet) signing(cmd *cobra.Command,
	do func(ctx context.Context, d desk, key approval.Key) error) error {
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	key, err := f.key(cmd.Context(), d)
	if err != nil {
		return err
	}
	ctx, cancel := soon(cmd)
	defer cancel()
	return do(ctx, d, key)
}

func (f *fleet) unfreeze() *cobra.Command {
	return &cobra.Command{
		Use:   "unfreeze [ID]",
		Short: "Sign the end of a freeze; two administrators must. Without ID: list the freezes",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return f.freezes(cmd)
			}
			return f.signing(cmd, func(ctx context.Context, d desk, key approval.Key) error {
				by, err := d.Thaw(ctx, key, args[0])
				if err != nil {
					return err
				}
				word := "ended"
				if len(by) < 2 {
					word = "not ended yet: a second administrator must sign; it is"
				}
				return f.say(map[string]any{"id": args[0], "signed": by, "ended": len(by) > 1},
					"freeze %s: %s signed by %q\n", args[0], word, by)
			})
		},
	}
}

func (f *fleet) freezes(cmd *cobra.Command) error {
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	ctx, cancel := soon(cmd)
	defer cancel()
	all, err := d.Freezes(ctx)
	if err != nil {
		return err
	}
	if f.json {
		return f.say(all, "")
	}
	for _, o := range all {
		state := "in force"
		if o.Ended {
			state = "ended"
		}
		fmt.Fprintf(f.out, "%s  %-8s  %s  by %q  machines %q  %q\n", o.ID, state,
			o.Time.Local().Format("2006-01-02 15:04"), o.By, o.Machines, o.Reason)
	}
	return nil
}

var errNoQuestion = errors.New("no open question begins with that; try: tadactl fleet pending")
