package launcher

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
)

// Who is asked, what becomes of each way to answer, and that nothing runs without: issue 6, 3 and
// 4.
func TestPermit(t *testing.T) {
	t.Parallel()
	type asking = func(l *Launcher, e approval.Envelope) (approval.Decision, error)
	answer := func(yes bool, message string) asking {
		return func(_ *Launcher, e approval.Envelope) (approval.Decision, error) {
			d := permit.Answer(e, yes, message, "tty")
			d.Challenge, d.Paged, d.Took = e.Challenge, true, 10*time.Second
			return d, nil
		}
	}
	elsewhere := func(there, here asking) asking {
		return func(l *Launcher, e approval.Envelope) (approval.Decision, error) {
			d, _ := there(l, e)
			l.Caller = personHere
			if err := l.Decide(context.Background(), d); err != nil {
				t.Error(err)
			}
			return here(l, e)
		}
	}
	nobody := func(*Launcher, approval.Envelope) (approval.Decision, error) {
		return approval.Decision{}, nil
	}
	const remove = "rm -rf src"
	for name, c := range map[string]struct {
		policy  string
		request func(*Request)
		ask     asking
		asked   bool
		exit    int
		code    string
		says    string // in the message
		events  string // of the question, in the record
	}{
		"yes": {ask: answer(true, ""), asked: true,
			events: "issued decided consumed finished"},
		"no": {ask: answer(false, "keep it"), asked: true, exit: exit.Denied,
			code: "human_denied", says: "keep it", events: "issued rejected"},
		"no word": {ask: answer(false, ""), asked: true, exit: exit.Denied,
			code: "human_denied", says: "denied by the user", events: "issued rejected"},
		"nobody": {ask: nobody, asked: true, exit: exit.Pending, code: "pending",
			says: "tadactl approve", events: "issued"},
		"yes elsewhere": {ask: elsewhere(answer(true, ""), nobody), asked: true,
			events: "issued decided consumed finished"},
		"no elsewhere": {ask: elsewhere(answer(false, "not now"), nobody), asked: true,
			exit: exit.Denied, code: "human_denied", says: "not now", events: "issued rejected"},
		"no elsewhere, yes here": {ask: elsewhere(answer(false, "not now"), answer(true, "")),
			asked: true, exit: exit.Denied, code: "human_denied", says: "not now",
			events: "issued rejected refused"},
		"yes elsewhere, no here": {ask: elsewhere(answer(true, ""), answer(false, "")),
			asked: true, events: "issued decided refused consumed finished"},
		"two must say yes": {policy: "approval: {people: 2, from_risk: 0}",
			ask: answer(true, ""), asked: true, exit: exit.Pending, code: "pending",
			says: "tadactl approve", events: "issued voted"},
		"one of two says no": {policy: "approval: {people: 2, from_risk: 0}",
			ask: answer(false, "no"), asked: true, exit: exit.Denied, code: "human_denied",
			says: "no", events: "issued rejected"},
		"not who asks": {policy: "approval: {self: false, from_risk: 0}",
			ask: answer(true, ""), exit: exit.Pending, code: "pending", events: "issued"},
		"too long for a prompt": {request: func(r *Request) {
			r.Shell.Text += " " + strings.Repeat("x", 70<<10)
		}, ask: answer(true, ""), exit: exit.Pending, code: "pending", events: "issued"},
		"a machine without people": {request: func(r *Request) { r.Profile = profileCI },
			ask: answer(true, ""), exit: exit.Denied, code: "no_approver"},
		"out of a quarantine": {request: func(r *Request) {
			r.Env = append(r.Env, QuarantineVariable+"=q1")
		}, ask: answer(true, ""), exit: exit.Denied, code: "policy_denied"},
		"what no person can change": {policy: "rules: {commands: [{program: rm, verdict: deny}]}",
			ask: answer(true, ""), exit: exit.Denied, code: "dangerous_command"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, req := world(t)
			req.Stdio.In, req.Stdio.Out, req.Stdio.Err = devNull(t), devNull(t), devNull(t)
			if c.policy != "" {
				l.policy = tightened(t, l, c.policy)
			}
			req.Shell.Text = remove
			if c.request != nil {
				c.request(&req)
			}
			asked := false
			req.Ask = func(_ context.Context, e approval.Envelope) (approval.Decision, error) {
				asked = true
				return c.ask(l, e)
			}
			out, err := l.Run(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			_, gone := os.Stat(filepath.Join(req.Dir, "src"))
			if asked != c.asked || out.Status != c.exit || (out.Refusal == nil) != (c.exit == 0) ||
				(gone != nil) != (c.exit == 0) {
				t.Fatalf("asked %v, status %d, src is gone: %v, %+v", asked, out.Status, gone,
					out.Refusal)
			}
			if r := out.Refusal; r != nil &&
				(r.Code != c.code || !strings.Contains(r.Message, c.says)) {
				t.Errorf("%s: %q", r.Code, r.Message)
			}
			var events []string
			for e, err := range l.Entries(audit.Filter{Kinds: []string{"approval."}}) {
				if err != nil {
					t.Fatal(err)
				}
				events = append(events, strings.TrimPrefix(e.Kind, "approval."))
			}
			if got := strings.Join(events, " "); got != c.events {
				t.Errorf("in the record: %q, want %q", got, c.events)
			}
		})
	}
}

// E-std-5: what policy denies ends the standing approvals of the session, as a person's no does.
func TestADenialEndsGrants(t *testing.T) {
	t.Parallel()
	l, base := world(t)
	l.Caller = personHere
	base.Stdio.In, base.Stdio.Out, base.Stdio.Err = devNull(t), devNull(t), devNull(t)
	l.policy = tightened(t, l, "security: {command_level: always}\n"+
		"rules: {commands: [{program: 'false', verdict: deny}]}")
	asked := 0
	run := func(text string) {
		t.Helper()
		req := base
		req.Shell.Text = text
		req.Ask = func(ctx context.Context, e approval.Envelope) (approval.Decision, error) {
			asked++
			d := permit.Answer(e, true, "", "inbox")
			d.Took = 10 * time.Second
			_, err := l.DecideStanding(ctx, d, approval.GrantRequest{Uses: 5, For: time.Hour})
			return approval.Decision{}, err
		}
		if _, err := l.Run(context.Background(), req); err != nil {
			t.Fatal(err)
		}
	}
	run("touch a")
	run("touch a")
	if asked != 1 {
		t.Fatalf("asked %d times before the denial", asked)
	}
	run("false")
	run("touch a")
	if asked != 2 {
		t.Errorf("asked %d times, the denial ended nothing", asked)
	}
}
