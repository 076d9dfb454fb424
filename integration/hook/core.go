package hook

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/shell"
)

// A Core decides about calls of all platforms.
type Core struct {
	Open func() (*launcher.Launcher, error) // the state used for judging and recording
	// the environment of a command of the platform, NAME=value
	Env    []string
	Runner Runner
	Inside func() error // set inside a session; returns nil if its sandbox contains the calls
	// the programs of a platform that started this one, whose command lines may have rules
	Starters func(platform string) ([]launcher.Starter, error)

	// Quarantine, if not nil, is asked first. It returns false for a call of an agent that is not
	// in quarantine; its decision about the others is final.
	Quarantine func(context.Context, *launcher.Launcher, Call) (Decision, bool)
}

// Decide answers one call. It never starts anything. If anything goes wrong, the Decision blocks.
func (c *Core) Decide(ctx context.Context, call Call) Decision {
	if c.Inside != nil {
		return c.leave(call)
	}
	l, err := c.Open()
	if err != nil {
		return unwitnessed(err, errNoState)
	}
	d := decider{c, l, call, builtins[call.As.Builtin]}
	if c.Quarantine != nil {
		if answer, mine := c.Quarantine(ctx, l, call); mine {
			return d.quarantined(answer)
		}
	}
	if !filepath.IsAbs(call.Dir) {
		return d.failed(malformed("its working directory %q is not absolute", call.Dir))
	}
	var answer Decision
	switch {
	case d.shell:
		answer, err = d.command(ctx)
	case call.As.Talks:
		answer, err = d.talk()
	case call.As.Builtin != "" && d.builtin != builtin{}:
		answer, err = d.files(ctx)
	default:
		answer, err = d.unknown(ctx)
	}
	if err != nil {
		return d.failed(err)
	}
	if answer.Allowed {
		answer.Told = l.HooksOff(call.Platform, call.Dir, call.Session)
	}
	return answer
}

// leave is the answer inside a session. Its sandbox confines the agent with all of its tools, so
// only a command line is sent through tada-run, which asks the launcher outside: that judges and
// records it.
func (c *Core) leave(call Call) Decision {
	if err := c.Inside(); err != nil {
		return unwitnessed(err, errInside)
	}
	d := decider{Core: c, call: call, builtin: builtins[call.As.Builtin]}
	passed := Decision{Allowed: true, Audit: "none: " + errInside.Error()}
	if !d.shell {
		return passed
	}
	sent, ok := call.arg("command")
	if !ok {
		return unwitnessed(malformed("%s has no %s that is a text", call.Tool,
			call.spelled("command")), errInside)
	}
	if _, _, patch := patchIn(sent); patch && call.As.Patches {
		return passed
	}
	text, wrapped := c.Runner.unwrap(call.Platform, sent)
	if !wrapped {
		text = sent
	}
	rules := ruleSources{call, c.Env, c.Starters}
	switch r, err := rules.ruled(text); {
	case err != nil:
		return unwitnessed(err, errInside)
	case r != nil && r.asks && rules.asks():
		passed.Ask = r.text
	case r != nil:
		return blocked(rules.blocks(r), "none: "+errInside.Error())
	}
	if !wrapped && !call.Wrapped {
		passed.Change = Object{call.spelled("command"): quoted(c.Runner.through(call.Platform,
			call.ID, sent))}
	}
	return passed
}

var errInside = errors.New("the session records what it runs")

// unread is the answer to input that is not a valid call. It is recorded like any decision.
func (c *Core) unread(call Call, err error) Decision {
	if c.Inside != nil {
		return unwitnessed(err, errInside)
	}
	l, openErr := c.Open()
	if openErr != nil {
		return unwitnessed(errors.Join(err, openErr), errNoState)
	}
	d := decider{Core: c, l: l, call: call}
	return d.failed(err)
}

var errNoState = errors.New("the state directory cannot be used")

// A decider decides about one call.
type decider struct {
	*Core
	l    *launcher.Launcher
	call Call
	builtin
}

// request is what all judgements of this call have in common.
func (d *decider) request() launcher.Request {
	return launcher.Request{
		Env: d.Env, Dir: d.call.Dir, Agent: d.call.Platform, CallID: d.call.ID, Wait: d.Runner.Wait,
		Door: "HOOK",
	}
}

func (d *decider) notice(decision, code string) launcher.Notice {
	return launcher.Notice{
		Platform: d.call.Platform, Tool: d.call.Tool, CallID: d.call.ID, Agent: d.call.Agent,
		Decision: decision, Code: code,
	}
}

// command judges a command line. If it is not denied, it goes on through tada-run.
func (d *decider) command(ctx context.Context) (Decision, error) {
	sent, ok := d.call.arg("command")
	if !ok {
		return Decision{}, malformed("%s has no %s that is a text", d.call.Tool,
			d.call.spelled("command"))
	}
	if dir, patch, ok := patchIn(sent); ok && d.call.As.Patches {
		return d.patch(ctx, dir, patch)
	}
	text, wrapped := d.Runner.unwrap(d.call.Platform, sent)
	if !wrapped {
		text = sent
	}
	req := d.request()
	req.Dir = d.call.dir()
	req.Shell = shell.Call{Text: text, Name: "tada-run"}
	j, err := d.l.Judge(req)
	if err != nil {
		return Decision{}, err
	}
	defer j.Close()
	n := d.notice("rewritten", "")
	n.Verdict, n.PlanHash, n.Command = j.Verdict.Decision.String(), j.Hash(), text
	refusal, err := j.Refused()
	if err != nil {
		return Decision{}, err
	}
	if refusal != nil {
		if n.Code = refusal.Code; !d.call.As.Late || refusal.Frozen {
			n.Decision = refusal.Status
			if n.Judged, err = d.l.Judged(j); err != nil {
				return Decision{}, err
			}
			return d.refused(refusal, n, "")
		}
	}
	rules := ruleSources{d.call, d.Env, d.Starters}
	r, err := rules.ruled(text)
	if err != nil {
		return Decision{}, err
	}
	ask := ""
	if r != nil {
		n.Code = "user_rule"
		if !r.asks || !rules.asks() {
			n.Decision = "denied"
			head, err := d.l.Tell(n)
			return blocked(rules.blocks(r), head), err
		}
		ask = r.text
	}
	change := Object{d.call.spelled("command"): quoted(d.Runner.through(d.call.Platform,
		d.call.ID, text))}
	if d.call.Wrapped || wrapped && (d.call.Fixed || Short(sent) != sent) {
		// the short line is what an agent types
		n.Decision, change = "allowed", nil
	}
	answer, err := d.allowed(n, change)
	answer.Ask = ask
	return answer, err
}

// patch judges a command line that the platform takes for its own tool. It is judged as that tool,
// by the names in the patch, because no shell runs it, and so no sandbox confines it.
func (d *decider) patch(ctx context.Context, dir, patch string) (Decision, error) {
	access, err := patched(patch)
	if err != nil {
		return Decision{}, err
	}
	if d.call.Dir = d.call.dir(); filepath.IsAbs(dir) {
		d.call.Dir = dir
	} else {
		d.call.Dir = filepath.Join(d.call.Dir, dir)
	}
	return d.permit(ctx, launcher.Tool{Name: "apply_patch", Access: access,
		Args: map[string]string{"patch": patch}})
}

// files judges a tool by the file names that it takes.
func (d *decider) files(ctx context.Context) (Decision, error) {
	access, err := d.call.access(d.builtin)
	if err != nil {
		return Decision{}, err
	}
	return d.permit(ctx, launcher.Tool{Name: d.call.Tool, Access: access, Args: d.call.others()})
}

// unknown judges a tool of which only the arguments can be examined: every time by the command
// lines and file names among them, and by itself unless a grant or the configuration allows the
// tool.
func (d *decider) unknown(ctx context.Context) (Decision, error) {
	return d.permit(ctx, launcher.Tool{
		Name: d.call.Tool, Access: d.call.guessed(), Args: d.call.others(), Unknown: true,
		Command: strings.Join(d.call.commands(), "\n"),
	})
}

// talk allows a tool that only talks to the user or keeps the agent's own notes, unless nothing new
// may start.
func (d *decider) talk() (Decision, error) {
	if refusal := d.l.Frozen(d.request()); refusal != nil {
		return d.refused(refusal, d.notice(refusal.Status, refusal.Code), "")
	}
	return d.allowed(d.notice("unjudged", ""), nil)
}

// permit asks for approval of a call that the platform itself carries out.
func (d *decider) permit(ctx context.Context, tool launcher.Tool) (Decision, error) {
	req := d.request()
	req.Tool = &tool
	out, head, err := d.l.Permit(ctx, req, d.notice("", ""))
	if err != nil {
		return Decision{}, err
	}
	if out.Refusal != nil {
		return d.refused(out.Refusal, launcher.Notice{}, head)
	}
	return Decision{Allowed: true, Audit: head}, nil
}

// allowed records that a call goes on, with other arguments if change has them.
func (d *decider) allowed(n launcher.Notice, change Object) (Decision, error) {
	head, err := d.l.Tell(n)
	if err != nil {
		return Decision{}, err
	}
	return Decision{Allowed: true, Change: change, Audit: head}, nil
}

// refused words a refusal for the agent, and records it unless head shows that it was recorded.
func (d *decider) refused(r *refusal.Refusal, n launcher.Notice, head string) (Decision, error) {
	if head == "" {
		var err error
		if head, err = d.l.Tell(n); err != nil {
			return Decision{}, err
		}
	}
	r.Audit = head
	answer := blocked(r.Line()+"\n"+r.JSON(), head)
	answer.Ends = r.Frozen
	return answer, nil
}

// failed is the answer if there was no decision. It is recorded too, if possible.
func (d *decider) failed(err error) Decision {
	code := "internal"
	if errors.Is(err, ErrInput) || errors.Is(err, launcher.ErrEmpty) {
		code = "malformed"
	}
	head, tellErr := d.l.Tell(d.notice("failed", code))
	if tellErr != nil {
		return unwitnessed(err, tellErr)
	}
	return blocked(failure(err), head)
}

// quarantined records the decision of a quarantine.
func (d *decider) quarantined(answer Decision) Decision {
	decision := "denied"
	if answer.Allowed {
		decision = "allowed"
	}
	head, err := d.l.Tell(d.notice(decision, answer.SecurityEvent))
	if err != nil {
		return d.failed(err)
	}
	if answer.Audit = head; !answer.Allowed {
		answer.Reason = blocked(cmp.Or(answer.Reason, "tada-run: blocked: in quarantine"),
			head).Reason
	}
	return answer
}
