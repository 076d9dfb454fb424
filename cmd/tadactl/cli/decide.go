package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
)

func (c *ctl) approve() *cobra.Command {
	var plan string
	cmd := &cobra.Command{
		Use:   "approve ID",
		Short: "Say yes to one question, once",
		Long: "Say yes to one question, once. On a terminal the question is shown again and\n" +
			"answered there. Without one, --plan must name the plan that you read, by the\n" +
			"first 12 digits of its hash, and questions of risk 2 and 3 are refused.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, e, err := c.envelope(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			d, err := c.decision(cmd.Context(), e, plan)
			if err != nil {
				return err
			}
			if d.Envelope == "" {
				return &exitError{errors.New("nobody answered; the question stays open"), launcher.ExitPending}
			}
			if err := l.Decide(cmd.Context(), d); err != nil {
				return err
			}
			return c.decided(e, d)
		},
	}
	cmd.Flags().StringVar(&plan, "plan", "", "the plan that you read: the first 12 digits of its hash")
	return verb(cmd, "75   nobody answered")
}

// decision asks on the terminal, or takes the plan's digits where there is none. The digits
// prove that whoever answers has read what is asked; they are no secret, so they are not
// enough where much can go wrong.
func (c *ctl) decision(ctx context.Context, e approval.Envelope, plan string) (approval.Decision, error) {
	if plan == "" && term.IsTerminal(int(c.in.Fd())) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return approval.Decision{}, fmt.Errorf("open the terminal: %w", err)
		}
		defer tty.Close()
		return launcher.AskOn(ctx, tty, e, "tadactl")
	}
	digits := strings.ReplaceAll(plan, " ", "")
	switch {
	case plan == "":
		return approval.Decision{}, &usageError{fmt.Errorf("no terminal to ask on; read %q with tadactl show and pass --plan", e.ID)}
	case e.Friction.Level > 1:
		return approval.Decision{}, &exitError{fmt.Errorf("risk %d is answered on a terminal only", e.Risk), launcher.ExitDenied}
	case len(digits) < 12 || !strings.HasPrefix(e.PlanHash, digits):
		return approval.Decision{}, &exitError{fmt.Errorf("envelope %q is not for plan %q", e.ID, plan), launcher.ExitDenied}
	}
	return launcher.Answer(e, true, "", "tadactl"), nil
}

func (c *ctl) deny() *cobra.Command {
	var message string
	cmd := &cobra.Command{
		Use:   "deny ID [-m WHY]",
		Short: "Say no to one question, with a word to the agent",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, e, err := c.envelope(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			d := launcher.Answer(e, false, message, "tadactl")
			if err := l.Decide(cmd.Context(), d); err != nil {
				return err
			}
			return c.decided(e, d)
		},
	}
	cmd.Flags().StringVarP(&message, "message", "m", "", "what the agent is told, at most 500 characters")
	return verb(cmd)
}

// decided tells what was stored.
func (c *ctl) decided(e approval.Envelope, d approval.Decision) error {
	word := "denied"
	if len(d.Calls) > 0 && d.Calls[0].Approved {
		word = "approved"
	}
	if c.json {
		return c.printJSON(map[string]string{"id": e.ID, "decision": word, "plan_hash": e.PlanHash})
	}
	_, err := fmt.Fprintf(c.out, "%s %s (plan %s)\n", word, e.ID, approval.Prefix(e.PlanHash))
	return err
}
