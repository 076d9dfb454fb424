package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/cmd/tadactl/inbox"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/state"
)

// An entry is one question as --json prints it. It never contains the challenge: the reader of this
// output may be the process that asks.
type entry struct {
	ID       string       `json:"id"`
	State    string       `json:"state"`
	PlanHash string       `json:"plan_hash"`
	WorkItem string       `json:"work_item"`
	Agent    string       `json:"agent"`
	Risk     int          `json:"risk"`
	Issued   time.Time    `json:"issued"`
	Expires  time.Time    `json:"expires"`
	Answered bool         `json:"answered"`
	Trust    string       `json:"trust"`
	People   int          `json:"people"`            // how many must approve
	Votes    int          `json:"votes"`             // approvals so far, while there are too few
	Kin      string       `json:"kin"`               // the same for near-identical questions
	Refused  string       `json:"refused,omitempty"` // a near-identical one that was denied before
	Answer   *answerFacts `json:"answer,omitempty"`

	// The same under the names of the security model that this follows; the nonce is shown to no
	// one.
	EnvelopeID  string    `json:"envelope_id"`
	WorkItemID  string    `json:"work_item_id"`
	IssuedAt    time.Time `json:"issued_at"`
	ExpiresAt   time.Time `json:"expires_at"`
	ToolCallIDs []string  `json:"tool_call_ids"`

	Payload json.RawMessage `json:"payload,omitempty"`
}

// An answerFacts is how an answer came.
type answerFacts struct {
	Approver  string   `json:"approver"`
	Channel   string   `json:"channel"`
	Terminal  string   `json:"terminal"`
	Holder    string   `json:"holder"` // of the other end of the terminal
	Ancestors []string `json:"ancestors"`
	Device    string   `json:"device,omitempty"` // the browser, over the console
	TookMS    int64    `json:"took_ms"`
}

func answerOf(d *approval.Decision) *answerFacts {
	if d == nil {
		return nil
	}
	return &answerFacts{d.Approver, d.Channel, d.Via.Terminal, d.Via.Holder,
		append([]string{}, d.Via.Ancestors...), d.Via.Device, d.Took.Milliseconds()}
}

func entryOf(e approval.Envelope) entry {
	return entry{
		Answer: answerOf(e.Decision),
		ID:     e.ID, State: string(e.State), PlanHash: e.PlanHash, WorkItem: e.WorkItem,
		Agent: e.Agent,
		Risk:  e.Risk, Issued: e.Issued, Expires: e.Expires, Answered: e.Decision != nil,
		Payload: e.Payload,
		Trust:   e.Trust.String(), People: max(e.Quorum, 1), Votes: e.Votes, Kin: e.Kin,
		Refused:    e.Refused,
		EnvelopeID: e.ID, WorkItemID: e.WorkItem, IssuedAt: e.Issued, ExpiresAt: e.Expires,
		ToolCallIDs: append([]string{}, e.Calls...),
	}
}

func (c *ctl) pending() *cobra.Command {
	return verb("pending", cobra.NoArgs, c.reads(func(l *launcher.Launcher, cmd *cobra.Command,
		_ []string) error {
		if err := l.CompareStore(cmd.Context()); err != nil {
			// an older copy of the database may show open questions that are not
			return err
		}
		list, err := l.Pending(cmd.Context())
		if err != nil {
			return err
		}
		if c.json {
			entries := make([]entry, 0, len(list))
			for _, e := range list {
				entries = append(entries, entryOf(e))
			}
			return c.printJSON(entries)
		}
		for _, e := range approval.Grouped(list) {
			if err := c.line(cmd.Context(), l, e.ID); err != nil {
				return err
			}
		}
		return nil
	}))
}

// envelope returns the question whose id begins with prefix.
func (c *ctl) envelope(ctx context.Context, open opening,
	id string) (*launcher.Launcher, approval.Envelope, error) {
	l, err := open()
	if err != nil {
		return nil, approval.Envelope{}, err
	}
	e, err := l.Envelope(ctx, id)
	return l, e, err
}

// question is envelope for a person who answers. Answering a question that does not exist, or that
// has its answer, is an attempt, which the store refuses and the log records.
func (c *ctl) question(ctx context.Context,
	id string) (*launcher.Launcher, approval.Envelope, error) {
	l, e, err := c.envelope(ctx, c.open, id)
	switch {
	case errors.Is(err, state.ErrNoSuch):
		if refused := l.Decide(ctx, approval.Decision{Envelope: id[:min(len(id), maxID)],
			Channel: string(approval.ChannelTadactl)}); refused != nil {
			err = refused
		}
	case err == nil && fate(e) != "":
		if refused := l.Decide(ctx, approval.Decision{Envelope: e.ID,
			Channel: string(approval.ChannelTadactl)}); refused == nil ||
			errors.As(refused, new(*approval.Refused)) {
			return l, e, failf(exit.Denied, "question %q is already %s; %s", e.ID, fate(e), next(e))
		} else {
			err = refused
		}
	}
	return l, e, err
}

// fate says what became of a question, in words for a person; "" while it waits for an answer.
func fate(e approval.Envelope) string {
	switch {
	case e.State == approval.Consumed:
		return "used"
	case e.State == approval.Rejected && e.Decision == nil:
		return "withdrawn"
	case e.State == approval.Rejected:
		return "denied"
	case e.State == approval.Expired:
		return "expired"
	case e.Decision != nil:
		return "approved"
	}
	return ""
}

// next says what a person can do about a question.
func next(e approval.Envelope) string {
	switch fate(e) {
	case "":
		return "try: tadactl approve " + e.ID
	case "denied": // for a while without asking
		return "to let it ask again: tadactl deny --undo " + e.ID
	case "approved":
		return "run the same command, once, before " + e.UseBy.Local().Format(time.DateTime)
	}
	return "run the command again to ask again"
}

// maxID is how much of an unknown id is recorded. Real ids have 36 characters.
const maxID = 64

// line prints one question: enough to choose it, never enough to approve it.
func (c *ctl) line(ctx context.Context, l *launcher.Launcher, id string) error {
	e, err := l.Envelope(ctx, id)
	if err != nil {
		return err
	}
	state := fmt.Sprintf("R%d", e.Risk)
	switch {
	case e.Decision != nil:
		state = "answered"
	case e.Quorum > 1:
		state += fmt.Sprintf(" %d/%d", e.Votes, e.Quorum)
	}
	after := ""
	if e.Refused != "" {
		after = "  (you denied a similar command: " + e.Refused + ")"
	}
	_, err = fmt.Fprintln(c.out, c.row(fmt.Sprintf("%s  %-8s  %s%s", e.ID, state,
		inbox.Short(e.Payload, 400), after)))
	return err
}

func (c *ctl) show() *cobra.Command {
	return verb("show ID", cobra.ExactArgs(1), func(cmd *cobra.Command, args []string) error {
		l, e, err := c.envelope(cmd.Context(), c.openToRead, args[0])
		if errors.Is(err, state.ErrNoSuch) {
			return c.showRun(l, args[0], fmt.Errorf("%w, or: tadactl sessions", err))
		}
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(entryOf(e))
		}
		page := render.Render(e.Payload, render.Options{Width: c.width(), Full: true,
			Plain: l.Look().Plain})
		fmt.Fprint(c.out, page.Text())
		if after := e.After(); after != "" {
			fmt.Fprintln(c.out, after)
		}
		if came := came(e.Decision); came != "" {
			fmt.Fprintf(c.out, " answer %s\n", came)
		}
		state := fate(e)
		if state == "" {
			state = "waiting for an answer until " + e.Expires.Local().Format(time.DateTime)
		}
		_, err = fmt.Fprintf(c.out, " state  %s; %s\n", state, next(e))
		c.choices(l, e)
		return err
	})
}

// choices prints what a question that waits offers to allow until further notice.
func (c *ctl) choices(l *launcher.Launcher, e approval.Envelope) {
	yes := permit.Answer(e, true, "", string(approval.ChannelTadactl))
	if e.Decision != nil || e.MayStand(yes, approval.GrantRequest{Choice: 1}) != nil {
		return
	}
	fmt.Fprintf(c.out, " always in %q, until it is revoked: tadactl approve --grant N %s\n",
		workspaceOf(e.Payload), e.ID)
	for n, choice := range l.ChoicesOf(e.Payload) {
		fmt.Fprintf(c.out, "  %d  %s\n", n+1, choice.Command)
		for _, says := range choice.Says {
			fmt.Fprintf(c.out, "     %s\n", says)
		}
	}
}

// came says how an answer came, as far as the store knows.
func came(d *approval.Decision) string {
	if d == nil {
		return ""
	}
	text := fmt.Sprintf("by %s over %s", inert(d.Approver), inert(d.Channel))
	if d.Via.Terminal != "" {
		text += ", terminal " + inert(d.Via.Terminal)
	}
	if d.Via.Holder != "" {
		text += " of " + inert(d.Via.Holder)
	}
	if d.Via.Device != "" {
		text += ", from " + inert(d.Via.Device)
	}
	if d.Took > 0 {
		text += fmt.Sprintf(", after %v", d.Took.Round(100*time.Millisecond))
	}
	return text
}

// width returns the width of the output terminal, or 100 columns.
func (c *ctl) width() int {
	if f, ok := c.out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
			return w
		}
	}
	return 100
}

// commandOf returns the command line of a payload, for a list: the agent's own, if it is in a
// wrapper.
func commandOf(payload []byte) string {
	var p struct {
		Calls []struct {
			Args struct{ Command, Inside string }
		} `json:"tool_calls"`
	}
	if json.Unmarshal(payload, &p) != nil || len(p.Calls) == 0 {
		return ""
	}
	first := cmp.Or(p.Calls[0].Args.Inside, p.Calls[0].Args.Command)
	if n := len(p.Calls); n > 1 {
		return fmt.Sprintf("%s: %s; ...", audit.Plural(n, "call"), first)
	}
	return first
}

// workspaceOf returns the workspace of a plan.
func workspaceOf(payload []byte) string {
	var p struct {
		Root string `json:"workspace_root"`
	}
	_ = json.Unmarshal(payload, &p) // anything but a plan has none
	return p.Root
}
