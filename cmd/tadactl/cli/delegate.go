package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
)

func (c *ctl) keyDelegate() *cobra.Command {
	d := approval.Delegation{MaxRisk: 2}
	var life time.Duration
	cmd := verb("delegate LINE", cobra.ExactArgs(1), func(cmd *cobra.Command, args []string) error {
		list, err := approval.ParseTrust([]byte(args[0]))
		if err != nil || len(list) != 1 {
			return &usageError{errors.Join(errors.New("LINE must be: ed25519 BASE64 NAME"), err)}
		}
		if d.Audience == "" {
			return usagef(
				"--machine is required: the name that tadactl key show prints on that machine")
		}
		l, err := c.open()
		if err != nil {
			return err
		}
		if _, err := l.May(approval.Sign, approval.ChannelTadactl); err != nil {
			// before asking for a passphrase
			return err
		}
		d.Public, d.Name = list[0].Public, list[0].Name
		line, err := l.Delegate(d, life, c.passphrase(cmd.Context()))
		if err != nil {
			return err
		}
		_, err = c.out.Write(append(line, '\n'))
		return err
	})
	cmd.Flags().StringVar(&d.Audience, "machine", "", "")
	cmd.Flags().DurationVar(&life, "for", 24*time.Hour, "")
	cmd.Flags().IntVar(&d.MaxRisk, "max-risk", d.MaxRisk, "")
	cmd.Flags().StringSliceVar(&d.WorkItems, "work-item", nil, "")
	return cmd
}

// passphrase asks for the passphrase of the person's key, if it has one.
func (c *ctl) passphrase(ctx context.Context) func() (string, error) {
	return func() (string, error) { return c.secret(ctx, "passphrase: ") }
}
