package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/prompt"
)

// consent is how an approval is given, from the flags of approve.
type consent struct {
	plan  string
	not   []string // calls of several that are denied
	why   string
	token string
	uses  int
	life  time.Duration
	grant int // which of the grants that the question offers; 0 for none

	once, always bool // of a connection: for one run, or in every workspace
}

// standing reports whether the approval is for more than this once.
func (o consent) standing() bool { return o.uses != 0 || o.life != 0 || o.grant != 0 }

// request describes the grant.
func (o consent) request() approval.GrantRequest {
	return approval.GrantRequest{Uses: o.uses, For: o.life, Choice: o.grant}
}

func (c *ctl) approve() *cobra.Command {
	var o consent
	cmd := verb("approve ID... | approve --token FILE", cobra.ArbitraryArgs,
		func(cmd *cobra.Command, args []string) error {
			if err := caller.Outside(approval.ApproveLow); err != nil {
				return err
			}
			switch {
			case o.token != "" && len(args) == 0:
				return c.approveToken(cmd.Context(), o.token)
			case o.token != "" || len(args) == 0:
				return usagef("expected a question ID, or --token FILE")
			case len(args) > 1 && o.plan != "":
				return usagef("--plan needs exactly one question")
			case o.once && o.always:
				return usagef("--once cannot be combined with --always")
			case o.grant != 0 && (o.uses != 0 || o.life != 0):
				return usagef("--grant lasts until it is revoked, and cannot be combined with " +
					"--uses or --for")
			case o.grant != 0 && len(args) > 1:
				return usagef("--grant needs exactly one question")
			}
			return each(args, func(id string) error { return c.approveOne(cmd.Context(), id, o) })
		})
	cmd.Flags().StringVar(&o.plan, "plan", "", "")
	cmd.Flags().StringVar(&o.token, "token", "", "")
	cmd.Flags().StringSliceVar(&o.not, "except", nil, "")
	cmd.Flags().StringVarP(&o.why, "message", "m", "", "")
	cmd.Flags().IntVar(&o.uses, "uses", 0, "")
	cmd.Flags().DurationVar(&o.life, "for", 0, "")
	cmd.Flags().IntVar(&o.grant, "grant", 0, "")
	cmd.Flags().BoolVar(&o.once, "once", false, "")
	cmd.Flags().BoolVar(&o.always, "always", false, "")
	return cmd
}

func (c *ctl) approveOne(ctx context.Context, id string, o consent) error {
	l, e, err := c.question(ctx, id)
	if err != nil {
		return err
	}
	if err := o.digits(); err != nil {
		return err
	}
	if _, err := l.May(approval.Approve(e.Risk), approval.ChannelTadactl); err != nil {
		return err
	}
	scope, err := o.scope(e)
	if err != nil {
		return err
	}
	if o.standing() { // reported before the person is asked
		d := permit.Answer(e, true, "", string(approval.ChannelTadactl))
		if err := e.MayStand(d, o.request()); err != nil {
			return failf(exit.Denied, "%w; try without --uses, --for and --grant", err)
		}
	}
	for _, id := range o.not { // before the person is asked
		if !slices.Contains(e.Calls, id) {
			return usagef("question %q has no call %q; it has %s", e.ID, id,
				strings.Join(e.Calls, " "))
		}
	}
	d, err := c.decision(ctx, l, e, o.plan)
	if errors.As(err, new(*prompt.CancelledError)) {
		return failf(exit.Pending, "question %q: %w; it is still open", e.ID, err)
	}
	if err != nil {
		return err
	}
	for i, call := range d.Calls {
		if slices.Contains(o.not, call.ID) {
			d.Calls[i].Approved, d.Calls[i].Message = false, o.why
		}
	}
	if d.Envelope == "" {
		return failf(exit.Pending, "no answer given; see: tadactl pending")
	}
	if o.grant == 0 {
		o.grant = d.Choice()
	}
	if scope != permit.ThisRun && permit.Approves(d.Calls) {
		g, err := l.DecideConnection(ctx, d, scope)
		if err != nil {
			return o.unlike(e, d, err)
		}
		return c.granted(g)
	}
	if !o.standing() || !permit.Approves(d.Calls) {
		if err := l.Decide(ctx, d); err != nil {
			return o.unlike(e, d, err)
		}
		votes, people, err := l.Votes(ctx, e.ID)
		if err == nil && votes < people {
			return c.counted(e, votes, people)
		}
		return errors.Join(err, c.decided(e, d))
	}
	g, err := l.DecideStanding(ctx, d, o.request())
	if err != nil {
		return o.unlike(e, d, err)
	}
	return c.granted(g)
}

// scope returns how far an approval goes. An approval of a connection is for the workspace, unless
// stated otherwise and if that is possible.
func (o consent) scope(e approval.Envelope) (permit.Scope, error) {
	connects := plan.Connects(e.Payload)
	switch {
	case (o.once || o.always) && !connects:
		return 0, usagef("--once and --always are for connections, and %q is none", e.ID)
	case o.standing() && connects:
		return 0, usagef("%q is a connection; use --once or --always, not --uses and --for", e.ID)
	case o.always:
		return permit.Everywhere, nil
	case connects && !o.once && e.Quorum < 2 && len(approval.Grantable(e.Payload)) == 0 &&
		workspaceOf(e.Payload) != "":
		return permit.ThisWorkspace, nil
	}
	return permit.ThisRun, nil
}

// digits removes the spaces from the digits of a plan, which a page shows in groups, and refuses
// anything that is not digits.
func (o *consent) digits() error {
	given := o.plan
	o.plan = strings.ReplaceAll(given, " ", "")
	if given != "" && (len(o.plan) < 12 || strings.Trim(o.plan, "0123456789abcdef") != "") {
		return usagef(
			"--plan %q is not the beginning of a plan hash: at least 12 digits, 0-9 and a-f, as "+
				"tadactl show prints them",
			given)
	}
	return nil
}

// unlike explains that the digits belong to another plan. The question is unchanged.
func (o consent) unlike(e approval.Envelope, d approval.Decision, err error) error {
	if o.plan == "" || d.PlanHash == e.PlanHash || !errors.Is(err, approval.ErrMismatch) {
		return err
	}
	return failf(exit.Denied, "--plan %s is not the plan of question %q; read it: tadactl show %s",
		o.plan, e.ID, e.ID)
}

// decision asks on the terminal. It passes digits of another plan on, for the store to refuse and
// to record.
func (c *ctl) decision(ctx context.Context, l *launcher.Launcher, e approval.Envelope,
	digits string) (approval.Decision, error) {
	if !strings.HasPrefix(e.PlanHash, digits) {
		d := permit.Answer(e, true, "", string(approval.ChannelTadactl))
		d.PlanHash = digits[:min(len(digits), len(e.PlanHash)-1)]
		return d, nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return approval.Decision{}, fmt.Errorf("open the terminal: %w", err)
	}
	defer tty.Close()
	return l.Ask(ctx, tty, e, string(approval.ChannelTadactl))
}

func (c *ctl) deny() *cobra.Command {
	var message, instead string
	var undo, all bool
	cmd := verb("deny ID... [-m WHY] [--instead COMMAND] | deny --all [-m WHY] | deny --undo ID...",
		cobra.ArbitraryArgs, func(cmd *cobra.Command, args []string) error {
			if err := caller.Outside(approval.Deny); err != nil {
				return err
			}
			switch {
			case all && (len(args) > 0 || undo || instead != ""):
				return usagef("--all cannot be combined with IDs, --undo or --instead")
			case all:
				return c.denyAll(cmd.Context(), message)
			case len(args) == 0:
				return usagef("expected a question ID, or --all")
			case instead != "" && len(args) > 1:
				return usagef("--instead needs exactly one question")
			case undo:
				return each(args, func(id string) error {
					return c.undeny(cmd.Context(), id, message+instead)
				})
			}
			return each(args, func(id string) error {
				return c.denyOne(cmd.Context(), id, message, instead)
			})
		})
	cmd.Flags().StringVarP(&message, "message", "m", "", "")
	cmd.Flags().StringVar(&instead, "instead", "", "")
	cmd.Flags().BoolVar(&all, "all", false, "")
	cmd.Flags().BoolVar(&undo, "undo", false, "")
	return cmd
}

func (c *ctl) denyOne(ctx context.Context, id, message, instead string) error {
	l, e, err := c.question(ctx, id)
	if err != nil {
		return err
	}
	d := permit.Answer(e, false, message, string(approval.ChannelTadactl))
	if instead != "" && len(d.Calls) > 1 {
		return usagef("--instead needs a question with one call")
	}
	d.Calls[0].Instead = instead
	if err := l.Decide(ctx, d); err != nil {
		return err
	}
	return c.decided(e, d)
}

// denyAll denies what is open at its start and not answered yet. It skips a question that another
// person answers in the meantime.
func (c *ctl) denyAll(ctx context.Context, message string) error {
	l, err := c.open()
	if err != nil {
		return err
	}
	list, err := l.Pending(ctx)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(e approval.Envelope) bool { return e.Decision != nil })
	if len(list) == 0 && !c.json {
		_, err = fmt.Fprintln(c.out, "no open questions")
		return err
	}
	for _, e := range list {
		if !c.json {
			if err := c.line(ctx, l, e.ID); err != nil {
				return err
			}
		}
		d := permit.Answer(e, false, message, string(approval.ChannelTadactl))
		if err := l.Decide(ctx, d); err != nil && !errors.As(err, new(*approval.Refused)) {
			return err
		} else if err != nil {
			fmt.Fprintf(os.Stderr, "tadactl: %v\n", err)
			continue
		}
		if err := c.decided(e, d); err != nil {
			return err
		}
	}
	return nil
}

// each does the same for several ids, and goes on after one that fails, unless the person left.
func each(ids []string, do func(id string) error) error {
	var failed error
	for i, id := range ids {
		err := do(id)
		var left *prompt.CancelledError
		if i == len(ids)-1 || errors.As(err, &left) {
			return cmp.Or(err, failed)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "tadactl: %v\n", err)
			failed = cmp.Or(failed, err)
		}
	}
	return failed
}

// counted prints that others must follow.
func (c *ctl) counted(e approval.Envelope, votes, people int) error {
	return c.say(map[string]any{"id": e.ID, "decision": "counted",
		"plan_hash": e.PlanHash, "votes": votes, "people": people},
		"counted for %s: %d of %d approvals\n", e.ID, votes, people)
}

// decided prints what was stored.
func (c *ctl) decided(e approval.Envelope, d approval.Decision) error {
	word := "denied"
	if permit.Approves(d.Calls) {
		word = "approved"
	}
	denied := []string{}
	for _, call := range d.Calls {
		if !call.Approved {
			denied = append(denied, call.ID)
		}
	}
	if c.json {
		return c.printJSON(map[string]any{"id": e.ID, "decision": word, "plan_hash": e.PlanHash,
			"denied_calls": denied})
	}
	except := ""
	if word == "approved" && len(denied) > 0 {
		except = ", except " + inert(strings.Join(denied, " "))
	}
	_, err := fmt.Fprintf(c.out, "%s %s (plan %s)%s\n", word, e.ID, plan.Prefix(e.PlanHash), except)
	return err
}

// undeny takes back the denial of a question. said is an option that only a denial may have.
func (c *ctl) undeny(ctx context.Context, id, said string) error {
	if said != "" {
		return usagef("--undo cannot be combined with a message or --instead")
	}
	l, err := c.open()
	if err != nil {
		return err
	}
	if _, err := l.May(approval.TakeBack, approval.ChannelTadactl); err != nil {
		return err
	}
	if id, err = l.DeniedID(ctx, id); err != nil {
		return err
	}
	if err = l.Undeny(ctx, id); errors.Is(err, approval.ErrUnknown) {
		return failf(exit.Denied, "question %q: no denial is in force, so there is nothing to undo",
			id)
	} else if err != nil {
		return err
	}
	return c.say(map[string]any{"id": id, "decision": "undone"},
		"denial of %s undone; the same command asks again\n", id)
}
