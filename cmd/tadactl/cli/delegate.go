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
	cmd := &cobra.Command{
		Use:   "delegate LINE",
		Short: "Let another's key answer for you, for a while and for less",
		Long: "Let another's key answer for you, for a while and for less than you may. LINE is what\n" +
			"that other's tadactl key show prints. The answer is one line; the other passes it to\n" +
			"tadactl sign --delegation. It cannot be passed on, and both of you are one person.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := approval.ParseTrust([]byte(args[0]))
			if err != nil || len(list) != 1 {
				return &usageError{errors.Join(errors.New("LINE must be one line: ed25519 BASE64 NAME"), err)}
			}
			if d.Audience == "" {
				return &usageError{errors.New("--machine says which machine it is for: its tadactl key show prints the name")}
			}
			l, err := c.open()
			if err != nil {
				return err
			}
			if _, err := l.May(approval.Sign, approval.ChannelTadactl); err != nil { // before a passphrase is asked for
				return err
			}
			d.Public, d.Name = list[0].Public, list[0].Name
			line, err := l.Delegate(d, life, c.passphrase(cmd.Context()))
			if err != nil {
				return err
			}
			_, err = c.out.Write(append(line, '\n'))
			return err
		},
	}
	cmd.Flags().StringVar(&d.Audience, "machine", "", "which machine takes the answers")
	cmd.Flags().DurationVar(&life, "for", 24*time.Hour, "for how long; at most 744h")
	cmd.Flags().IntVar(&d.MaxRisk, "max-risk", d.MaxRisk, "up to which risk, 0 to 3")
	cmd.Flags().StringSliceVar(&d.WorkItems, "work-item", nil, "only for these; any when not given")
	return verb(cmd, "126  not yours to give")
}

// passphrase asks for the passphrase of the own key, if it has one.
func (c *ctl) passphrase(ctx context.Context) func() (string, error) {
	return func() (string, error) { return c.secret(ctx, "passphrase: ") }
}
