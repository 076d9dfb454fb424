package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
)

// consent is how a yes is given, as the flags of approve say.
type consent struct {
	plan  string
	not   []string // calls of several that are denied
	why   string
	token string
	uses  int
	life  time.Duration
}

// standing reports whether more than this once is asked for.
func (o consent) standing() bool { return o.uses != 0 || o.life != 0 }

func (c *ctl) approve() *cobra.Command {
	var o consent
	cmd := &cobra.Command{
		Use:   "approve ID | approve --token FILE",
		Short: "Say yes to one question, once",
		Long: "Say yes to one question, once. On a terminal the question is shown again and\n" +
			"answered there. Without one, --plan must name the plan that you read, by the\n" +
			"first 12 digits of its hash, and questions of risk 2 and 3 are refused.\n\n" +
			"With --uses or --for the same plan runs again without asking, at most so often\n" +
			"and for so long. High risk, interpreters, wrappers, the network and secrets are\n" +
			"asked every time, and so is a plan whose files were made anew. tadactl grants lists\n" +
			"what stands.\n\n" +
			"Of several calls, --except names those that are denied; the others run.\n\n" +
			"With --token the answer comes from another machine: see tadactl sign.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := launcher.MayDecide(); err != nil {
				return err
			}
			switch {
			case o.token != "" && len(args) == 0:
				return c.approveToken(cmd.Context(), o.token)
			case o.token != "" || len(args) == 0:
				return &usageError{errors.New("name one question, or a file with --token")}
			}
			return c.approveOne(cmd.Context(), args[0], o)
		},
	}
	cmd.Flags().StringVar(&o.plan, "plan", "", "the plan that you read: the first 12 digits of its hash")
	cmd.Flags().StringVar(&o.token, "token", "", "a file with a signed answer, - for standard input")
	cmd.Flags().StringSliceVar(&o.not, "except", nil, "calls of several that are denied, by their ids")
	cmd.Flags().StringVarP(&o.why, "message", "m", "", "what the agent is told of those, at most 500 characters")
	cmd.Flags().IntVar(&o.uses, "uses", 0, "how often the same plan may run (5 with --for)")
	cmd.Flags().DurationVar(&o.life, "for", 0, "for how long it may (1h with --uses; at most 12h)")
	return verb(cmd, "75   nobody answered", "126  refused: the answer does not fit, comes too late, or is not yours to give")
}

func (c *ctl) approveOne(ctx context.Context, id string, o consent) error {
	l, e, err := c.question(ctx, id)
	if err != nil {
		return err
	}
	if why := approval.Grantable(e.Payload); o.standing() && len(why) > 0 { // said before anybody is asked
		return &exitError{fmt.Errorf("%w: %s; try without --uses and --for", approval.ErrNotGrantable, strings.Join(why, "; ")), launcher.ExitDenied}
	}
	if o.standing() && e.Quorum > 1 {
		return &exitError{fmt.Errorf("question %q needs %d people, and such a yes is good once; try without --uses and --for", e.ID, e.Quorum), launcher.ExitDenied}
	}
	for _, id := range o.not { // before anybody is asked
		if !slices.Contains(e.Calls, id) {
			return &usageError{fmt.Errorf("question %q has no call %q; it has %s", e.ID, id, strings.Join(e.Calls, " "))}
		}
	}
	d, err := c.decision(ctx, l, e, o.plan)
	if err != nil {
		return err
	}
	for i, call := range d.Calls {
		if slices.Contains(o.not, call.ID) {
			d.Calls[i].Approved, d.Calls[i].Message = false, o.why
		}
	}
	if d.Envelope == "" {
		return &exitError{errors.New("nobody answered here; see: tadactl pending"), launcher.ExitPending}
	}
	if !o.standing() || !launcher.Approves(d.Calls) {
		if err := l.Decide(ctx, d); err != nil {
			return err
		}
		votes, people, err := l.Votes(ctx, e.ID)
		if err == nil && votes < people {
			return c.counted(e, votes, people)
		}
		return errors.Join(err, c.decided(e, d))
	}
	g, err := l.DecideStanding(ctx, d, o.uses, o.life)
	if err != nil {
		return err
	}
	return c.granted(g)
}

// decision asks on the terminal, or takes the plan's digits where there is none. The digits
// prove that whoever answers has read what is asked; they are no secret, so they are not
// enough where much can go wrong.
func (c *ctl) decision(ctx context.Context, l *launcher.Launcher, e approval.Envelope, plan string) (approval.Decision, error) {
	if plan == "" && term.IsTerminal(int(c.in.Fd())) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return approval.Decision{}, fmt.Errorf("open the terminal: %w", err)
		}
		defer tty.Close()
		return l.Ask(ctx, tty, e, "tadactl")
	}
	digits := strings.ReplaceAll(plan, " ", "")
	switch {
	case plan == "":
		return approval.Decision{}, &usageError{fmt.Errorf("no terminal to ask on; read %q with tadactl show and pass --plan", e.ID)}
	case e.Friction.Level > 1 || e.Friction.Challenge > 0:
		return approval.Decision{}, &exitError{fmt.Errorf("risk %d is answered on a terminal only; try: tadactl approve %s", e.Risk, e.ID), launcher.ExitDenied}
	}
	d := launcher.Answer(e, true, "", "tadactl")
	if len(digits) < 12 || !strings.HasPrefix(e.PlanHash, digits) { // for the store to refuse and to record
		d.PlanHash = digits[:min(len(digits), len(e.PlanHash)-1)]
	}
	return d, nil
}

func (c *ctl) deny() *cobra.Command {
	var message, instead string
	cmd := &cobra.Command{
		Use:   "deny ID [-m WHY] [--instead COMMAND]",
		Short: "Say no to one question, with a word to the agent",
		Long: "Say no to one question, with a word to the agent. With --instead the agent is offered\n" +
			"another command, such as a part of a list: it has a plan and a question of its own, and\n" +
			"nothing of the denied one runs.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := launcher.MayDecide(); err != nil {
				return err
			}
			l, e, err := c.question(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			d := launcher.Answer(e, false, message, "tadactl")
			if instead != "" && len(d.Calls) > 1 {
				return &usageError{errors.New("--instead is for a question with one call")}
			}
			d.Calls[0].Instead = instead
			if err := l.Decide(cmd.Context(), d); err != nil {
				return err
			}
			return c.decided(e, d)
		},
	}
	cmd.Flags().StringVarP(&message, "message", "m", "", "what the agent is told, at most 500 characters")
	cmd.Flags().StringVar(&instead, "instead", "", "a command that you would rather see")
	return verb(cmd, "126  refused: it comes too late, or is not yours to give")
}

// counted tells that others must follow.
func (c *ctl) counted(e approval.Envelope, votes, people int) error {
	if c.json {
		return c.printJSON(map[string]any{"id": e.ID, "decision": "counted", "plan_hash": e.PlanHash, "votes": votes, "people": people})
	}
	_, err := fmt.Fprintf(c.out, "counted for %s: %d of %d people have said yes\n", e.ID, votes, people)
	return err
}

// decided tells what was stored.
func (c *ctl) decided(e approval.Envelope, d approval.Decision) error {
	word := "denied"
	if launcher.Approves(d.Calls) {
		word = "approved"
	}
	denied := []string{}
	for _, call := range d.Calls {
		if !call.Approved {
			denied = append(denied, call.ID)
		}
	}
	if c.json {
		return c.printJSON(map[string]any{"id": e.ID, "decision": word, "plan_hash": e.PlanHash, "denied_calls": denied})
	}
	except := ""
	if word == "approved" && len(denied) > 0 {
		except = ", except " + inert(strings.Join(denied, " "))
	}
	_, err := fmt.Fprintf(c.out, "%s %s (plan %s)%s\n", word, e.ID, approval.Prefix(e.PlanHash), except)
	return err
}
