package launcher

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
)

// B-I1: whatever was started has, in the record before it, a right that a person gave: the policy's
// verdict of exactly this plan, the use of an approval, or the use of a standing one. What has none
// was not started.
func TestEveryStartHasAnAuthority(t *testing.T) {
	t.Parallel()
	l, base := world(t)
	base.Stdio.In, base.Stdio.Out, base.Stdio.Err = devNull(t), devNull(t), devNull(t)
	say := func(yes bool) func(context.Context, approval.Envelope) (approval.Decision, error) {
		return func(_ context.Context, e approval.Envelope) (approval.Decision, error) {
			d := permit.Answer(e, yes, "", "tty")
			d.Challenge, d.Paged, d.Took = e.Challenge, true, 10*time.Second
			return d, nil
		}
	}
	run := func(text string, ask func(context.Context, approval.Envelope) (approval.Decision,
		error)) {
		req := base
		req.Shell.Text, req.Ask = text, ask
		if _, err := l.Run(context.Background(), req); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	l.Caller = personHere
	l.policy = tightened(t, l, "rules: {commands: [{program: 'false', verdict: deny}]}")
	run("true", nil)
	run("false", say(true)) // which policy denies
	run("rm -rf src", say(false))
	run("rm -rf src", say(true)) // it cools off
	run("cat /etc/shadow", say(true))
	run("rm -rf nosuch src", nil) // no one answers
	grant := func(ctx context.Context, e approval.Envelope) (approval.Decision, error) {
		d := permit.Answer(e, true, "", "inbox")
		d.Took = 10 * time.Second
		_, err := l.DecideStanding(ctx, d, approval.GrantRequest{Uses: 3, For: time.Hour})
		return approval.Decision{}, err
	}
	l.policy = tightened(t, l, "security: {command_level: always}")
	for range 3 {
		run("touch a", grant)
	}
	calls := []Request{base, base, base}
	for i, text := range []string{"touch a2", "false", "touch a3"} {
		calls[i].Shell.Text, calls[i].CallID = text, fmt.Sprint("c", i)
	}
	if _, err := l.RunBatch(context.Background(), Batch{Calls: calls, Ask: say(true)}); err != nil {
		t.Error(err)
	}

	intents, consumed, used := map[any]map[string]any{}, map[any]map[string]any{}, map[any]int{}
	authorities := map[string]int{}
	for e, err := range l.Entries(audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		body := bodyOf(t, e)
		switch e.Kind {
		case record.KindIntent:
			intents[body["sid"]] = body
		case approval.KindConsumed:
			consumed[body["envelope_id"]] = body
		case approval.KindGrantUsed:
			used[body["grant_id"]]++
		case record.KindStart:
			authority := fmt.Sprint(body["authority"])
			authorities[authority]++
			intent, c := intents[body["sid"]], consumed[body["envelope_id"]]
			switch {
			case intent == nil:
				t.Errorf("%v was started and not announced", body)
			case authority == "policy" && intent["verdict"] != "allow":
				t.Errorf("policy said %v to %v", intent["verdict"], intent["command"])
			case authority == "approval" && (c == nil || c["outcome"] != approval.OutcomeExecuted):
				t.Errorf("%v: the use of its approval is not on record before: %v",
					intent["command"], c)
			case authority == "approval" && c["plan_hash"] != c["computed_plan_hash"]:
				t.Errorf("%v: %v was shown and %v ran", intent["command"], c["plan_hash"],
					c["computed_plan_hash"])
			case authority == "grant" && used[body["grant_id"]] == 0:
				t.Errorf("%v: the use of its standing approval is not on record", intent["command"])
			case authority == "grant":
				used[body["grant_id"]]--
			}
		}
	}
	if fmt.Sprint(authorities) != "map[approval:3 grant:3 policy:1]" {
		t.Errorf("started: %v", authorities)
	}
}
