package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
)

// enrolling opens the launcher for a change of second factors, with proof of the person by the
// current one: a code that is asked for, or the line in a file.
func (c *ctl) enrolling(ctx context.Context,
	vouch string) (*launcher.Launcher, permit.Factor, error) {
	if err := caller.Outside(approval.Enrol); err != nil {
		return nil, permit.Factor{}, err
	}
	l, err := c.open()
	if err != nil {
		return nil, permit.Factor{}, err
	}
	f := permit.Factor{Code: func() (string, error) { return c.secret(ctx, "one-time code: ") }}
	if vouch == "" {
		return l, f, nil
	}
	text, err := c.read(vouch)
	f.Vouch = string(text)
	return l, f, err
}

// proof ends the description of a command that changes a second factor.
const proof = "If one-time codes are set up, one is asked for. Otherwise, if a key is " +
	"trusted already,\n" +
	"one of the trusted keys must vouch for the change: --vouch FILE, with what tadactl key\n" +
	"delegate prints for the key in question and this machine. The change is recorded."

// proven distinguishes refusals of the factor from a line that cannot be read.
func proven(err error) error {
	switch {
	case errors.Is(err, permit.ErrNobody):
		return &exitError{err, exit.Pending}
	case errors.Is(err, permit.ErrNoFactor):
		return &exitError{err, exit.Denied}
	}
	if _, known := approval.Explain(err); known || err == nil {
		return err
	}
	return &exitError{err, exit.Usage}
}

func (c *ctl) keyTrust() *cobra.Command {
	vouch := ""
	cmd := verb("trust LINE | trust KIND KEY NAME [max-risk=N]", cobra.RangeArgs(1, 4),
		func(cmd *cobra.Command, args []string) error {
			l, f, err := c.enrolling(cmd.Context(), vouch)
			if err != nil {
				return err
			}
			if err := l.Trust(cmd.Context(), strings.Join(args, " "), f); err != nil {
				return proven(err)
			}
			list, err := l.Trusted()
			if err != nil {
				return err
			}
			k := list[len(list)-1]
			return c.say(map[string]any{"id": approval.KeyID(k.Public), "name": k.Name,
				"max_risk": k.MaxRisk}, "trusted %s  %s  up to risk %d\n", approval.KeyID(k.Public),
				k.Name, k.MaxRisk)
		})
	cmd.Long = proof
	cmd.Flags().StringVar(&vouch, "vouch", "", "")
	return cmd
}

func (c *ctl) keyUntrust() *cobra.Command {
	vouch := ""
	cmd := verb("untrust ID", cobra.ExactArgs(1), func(cmd *cobra.Command, args []string) error {
		l, f, err := c.enrolling(cmd.Context(), vouch)
		if err != nil {
			return err
		}
		id, err := l.Untrust(cmd.Context(), args[0], f)
		if err != nil {
			return proven(err)
		}
		return c.say(map[string]any{"id": id, "trusted": false}, "no longer trusted: %s\n", id)
	})
	cmd.Long = proof
	cmd.Flags().StringVar(&vouch, "vouch", "", "")
	return cmd
}

func (c *ctl) keyTOTP() *cobra.Command {
	remove := false
	cmd := verb("totp", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		l, f, err := c.enrolling(cmd.Context(), "")
		if err != nil {
			return err
		}
		if remove {
			if err := l.RemoveTOTP(cmd.Context(), f); err != nil {
				return proven(err)
			}
			return c.say(map[string]bool{"removed": true}, "one-time codes are removed\n")
		}
		uri, err := l.EnrollTOTP(cmd.Context(), f)
		if err != nil {
			return proven(err)
		}
		return c.say(map[string]string{"uri": uri}, "%v\n", uri)
	})
	cmd.Flags().BoolVar(&remove, "remove", false, "")
	return cmd
}
